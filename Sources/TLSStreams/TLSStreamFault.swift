package import LibUV
package import TLS

/// Why a connection under TLS is of no use any more.
package enum TLSStreamFault: Error, CustomStringConvertible {
  case tls(TLSFault)
  case connection(UVError)

  package var description: String {
    switch self {
    case .tls(let fault): "TLS: \(fault)"
    case .connection(let error): error.description
    }
  }
}
