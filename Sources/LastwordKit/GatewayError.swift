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

    /// An address to listen on, or to forward to, is neither `HOST:PORT` nor `unix:PATH`.
    public static let invalidAddress = Code(kind: .invalidAddress)
    /// Other machines can reach an address to listen on, and neither
    /// ``GatewayOptions/authentication-swift.property`` nor ``GatewayOptions/audience-swift.property`` allows that.
    public static let exposedAddress = Code(kind: .exposedAddress)
    /// A ``Principal`` has a wrong or missing value, two share a name, a token or a user, or there are none, or more
    /// than 1,024.
    public static let invalidPrincipal = Code(kind: .invalidPrincipal)
    /// One of ``GatewayOptions/origins`` is not an origin of web pages, or `"*"` is among them without authentication
    /// by tokens, or beside others.
    public static let invalidOrigin = Code(kind: .invalidOrigin)
    /// One of ``GatewayOptions/hosts`` is not the name of a host.
    public static let invalidHost = Code(kind: .invalidHost)
    /// Another socket listens on this address already.
    public static let addressInUse = Code(kind: .addressInUse)
    /// The gateway cannot listen on this address for another reason: it is not an address of this machine, for example,
    /// or this user may not use it.
    public static let cannotListen = Code(kind: .cannotListen)
    /// The system has no thread, memory or file descriptor for the gateway.
    public static let cannotStart = Code(kind: .cannotStart)

    /// The name of the code, such as `addressInUse`.
    public var description: String { "\(kind)" }
  }

  /// What went wrong, for programs.
  public let code: Code

  /// The address that cannot be used; nil if the error is about something else.
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
