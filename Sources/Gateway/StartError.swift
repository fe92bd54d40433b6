package import Addresses
package import LibUV

/// Why a gateway did not start.
package struct StartError: Error, CustomStringConvertible {
  /// What could not be listened on; nil: something else was missing.
  package let address: SocketAddress?
  package let cause: UVError

  package init(address: SocketAddress? = nil, cause: UVError) {
    self.address = address
    self.cause = cause
  }

  package var description: String {
    address.map { "cannot listen on \($0): \(cause)" } ?? "cannot start: \(cause)"
  }
}
