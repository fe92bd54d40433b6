import CLibUV
import Glibc

/// Owns a socket that sends datagrams to a Unix-domain socket, each at once or not at all.
package final class DatagramSender {
  private let descriptor: Int32
  private let address: RawAddress
  private var isOpen = true

  /// - Parameter name: a path, or the name of an abstract socket after `@`.
  package init(to name: String) throws(UVError) {
    address =
      try name.hasPrefix("@")
      ? RawAddress(abstractName: String(name.dropFirst())) : RawAddress(unixPath: name)
    let type = Int32(SOCK_DGRAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    descriptor = socket(AF_UNIX, type, 0)
    guard descriptor >= 0 else { throw .last }
  }

  deinit { close() }

  package func send(_ text: String) throws(UVError) {
    guard isOpen else { return }
    let bytes = Array(text.utf8)
    let count = address.withPointer {
      sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), $0, address.length)
    }
    guard count == bytes.count else { throw .last }
  }

  package func close() {
    guard isOpen else { return }
    isOpen = false
    Glibc.close(descriptor)
  }
}

@available(*, unavailable)
extension DatagramSender: Sendable {}
