import Addresses
import Glibc
import LibUV

/// An address of loopback that neither takes nor refuses a connection: the queue of its listener is full.
struct SilentAddress {
  private let listener: RawListener
  private let filler: Int32

  init() throws(UVError) {
    listener = try RawListener(backlog: 0)
    guard case .tcp(_, let port) = listener.address else { preconditionFailure("it is of TCP") }
    // There is room for one.
    filler = try RawListener.connected(to: port)
  }

  var address: SocketAddress { listener.address }

  func close() {
    listener.close()
    Glibc.close(filler)
  }
}
