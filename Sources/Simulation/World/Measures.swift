/// What the simulated peers said, in bytes.
struct Measures {
  var bytesFromClients: UInt64 = 0
  var bytesFromUpstreams: UInt64 = 0
}
