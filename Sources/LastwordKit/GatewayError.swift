import Addresses
import Gateway
import LibUV

/// Why a gateway did not start.
public struct GatewayError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What went wrong, for programs.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    private enum Kind {
      case invalidAddress, exposedAddress, invalidPrincipal, invalidOrigin, invalidHost, addressInUse,
        cannotListen
      case cannotStart
    }
    private let kind: Kind

    /// An address to listen on, or to forward to, is none.
    public static let invalidAddress = Code(kind: .invalidAddress)
    /// An address to listen on can be reached from other machines, and neither
    /// ``GatewayOptions/authentication-swift.property`` nor ``GatewayOptions/audience-swift.property`` says that this is
    /// meant.
    public static let exposedAddress = Code(kind: .exposedAddress)
    /// One of the principals is not clearly somebody, or there are none.
    public static let invalidPrincipal = Code(kind: .invalidPrincipal)
    /// One of ``GatewayOptions/origins`` is none, or lets more pages in than is safe.
    public static let invalidOrigin = Code(kind: .invalidOrigin)
    /// One of ``GatewayOptions/hosts`` is no name.
    public static let invalidHost = Code(kind: .invalidHost)
    /// Somebody else listens there.
    public static let addressInUse = Code(kind: .addressInUse)
    /// It cannot be listened on for another reason: it is not this machine's, or this user may not.
    public static let cannotListen = Code(kind: .cannotListen)
    /// The system gives no thread or no descriptor.
    public static let cannotStart = Code(kind: .cannotStart)

    /// The code's name.
    public var description: String { "\(kind)" }
  }

  /// What went wrong, for programs.
  public let code: Code

  /// The address that it is about; nil if it is about none.
  public let address: String?

  /// What went wrong, for people.
  public let description: String

  static func invalidAddress(_ address: String) -> GatewayError {
    GatewayError(
      code: .invalidAddress, address: address,
      description: "'\(address)' is no address: HOST:PORT or unix:PATH is one")
  }

  static func exposedAddress(_ address: String) -> GatewayError {
    GatewayError(
      code: .exposedAddress, address: address,
      description:
        "'\(address)' can be reached from other machines, and whoever reaches it is served: have clients say who they "
        + "are by authentication, or, if that is meant, say audience = .network in the gateway's options")
  }

  static func invalidPrincipal(_ description: String) -> GatewayError {
    GatewayError(code: .invalidPrincipal, address: nil, description: description)
  }

  static func invalidOrigin(_ origin: String) -> GatewayError {
    GatewayError(
      code: .invalidOrigin, address: nil,
      description: "'\(origin)' is no origin of pages: https://app.example.com is one, without a path")
  }

  static var everyOrigin: GatewayError {
    GatewayError(
      code: .invalidOrigin, address: nil,
      description:
        "'*' lets every page in that somebody visits: it needs authentication by tokens, and stands alone")
  }

  static func invalidHost(_ host: String) -> GatewayError {
    GatewayError(
      code: .invalidHost, address: nil, description: "'\(host)' is no name of a host, which has no port")
  }

  static func cannotStart(_ cause: UVError) -> GatewayError {
    GatewayError(code: .cannotStart, address: nil, description: "cannot start: \(cause)")
  }

  static func cannotServe(_ error: StartError) -> GatewayError {
    guard let address = error.address else { return cannotStart(error.cause) }
    return GatewayError(
      code: error.cause.name == "EADDRINUSE" ? .addressInUse : .cannotListen,
      address: address.description, description: error.description)
  }
}
