import Configuration
import Glibc
import Identity

/// The keys of the issuers in a configuration, read from their files and ready to be used.
struct IssuerKeys {
  /// The keys of each issuer, in the configuration's order.
  private(set) var sets: [JSONWebKeySet] = []

  /// - Throws: every mistake, each with its place in the configuration.
  init(_ settings: FileConfiguration) throws(ConfigLoading.Failure) {
    var complaints: [Complaint] = []
    var isDenied = false
    for section in settings.issuers {
      let path = section.values.keys.description
      func complain(_ text: String) {
        complaints.append(Complaint(section.origin(of: "keys"), "'keys': \(path) \(text)"))
      }
      switch Self.read(path) {
      case .success(let set): sets.append(set)
      case .failure(.keys(let fault)): complain("is no file of keys: \(fault)")
      case .failure(.file(let fault)):
        complain("cannot be read: \(fault.reason)")
        isDenied = isDenied || fault.isDenied
      }
    }
    guard complaints.isEmpty else {
      throw ConfigLoading.Failure(
        complaints: complaints.map(\.description), status: isDenied ? EX_NOPERM : EX_CONFIG)
    }
  }

  private enum Fault: Error {
    case file(ConfigFile.Unreadable)
    case keys(KeySetFault)
  }

  private static func read(_ path: String) -> Result<JSONWebKeySet, Fault> {
    let bytes: [UInt8]
    do throws(ConfigFile.Unreadable) {
      bytes = try ConfigFile.bytes(of: path, isAwaited: false)
    } catch {
      return .failure(.file(error))
    }
    guard bytes.count <= FileConfiguration.limitBytes else {
      let reason = "it has more than \(FileConfiguration.limitBytes) bytes"
      return .failure(.file(ConfigFile.Unreadable(path: path, reason: reason, isDenied: false)))
    }
    do throws(KeySetFault) {
      return .success(try JSONWebKeySet(bytes))
    } catch {
      return .failure(.keys(error))
    }
  }
}
