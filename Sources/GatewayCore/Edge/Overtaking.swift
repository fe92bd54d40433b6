import JSONRPC

/// The `data` of a request that came behind a newer one: there never was a task of it.
struct Overtaking: JSONPart {
  let key: [UInt8]
  /// Of the task that the newer one asked for.
  let generation: UInt64

  package func write<Sink: ByteSink & ~Copyable>(into sink: inout Sink) {
    sink.append("{\"key\":")
    MessageWriter.appendString(key, into: &sink)
    sink.append(",\"supersededBy\":")
    sink.append(decimal: generation)
    sink.append(",\"phase\":\"queued\",\"upstream\":\"notSent\"}")
  }
}
