import Addresses
import ArgumentParser
import Client
import Configuration
import Glibc
import TLS

/// The authorities that a command trusts, and its own certificate. Secrets are in files, never on a command line.
struct TLSFlags: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "With tls: a PEM file, who vouches for the gateway. (default: whom the system trusts)",
      valueName: "file"),
    completion: .file())
  var ca: String?

  @Option(
    help: ArgumentHelp("With tls: a PEM file, the certificate to show.", valueName: "file"),
    completion: .file())
  var certificate: String?

  @Option(
    help: ArgumentHelp("With tls: a PEM file, the certificate's key.", valueName: "file"), completion: .file()
  )
  var certificateKey: String?

  func validate() throws {
    if (certificate == nil) != (certificateKey == nil) {
      throw ValidationError("--certificate and --certificate-key need each other")
    }
  }

  /// Checks these flags against the place of the gateway.
  func check(_ place: GatewayPlace?) throws {
    guard place?.isSecure != true, ca != nil || certificate != nil else { return }
    throw ValidationError("--ca and --certificate need an address that begins with tls:")
  }

  /// The terms for a connection; nil: it does not use TLS.
  func terms(for place: GatewayPlace) throws -> TLSTerms? {
    guard place.isSecure, let host = place.address.host else { return nil }
    var settings = TLSClientSettings()
    settings.ca = try ca.map { try NamedFile.bytes(of: $0) }
    if let certificate, let certificateKey {
      settings.identity = TLSIdentity(
        chain: try NamedFile.bytes(of: certificate), key: try NamedFile.bytes(of: certificateKey))
    }
    do throws(TLSFault) {
      return TLSTerms(try TLSContext(client: settings), name: host)
    } catch {
      Console.error("TLS: \(error)")
      throw ExitCode(EX_CONFIG)
    }
  }
}
