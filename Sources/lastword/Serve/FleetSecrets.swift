import Configuration
import Glibc

/// A fleet member's secrets: read from files, so that no page and no process list shows them.
struct FleetSecrets: Equatable {
  private static let leastBytes = 32
  private static let mostBytes = 4_096

  /// The secret that members share; empty without a fleet.
  private(set) var secret: [UInt8] = []
  private(set) var password: String?

  init(_ settings: FileConfiguration) throws(ConfigLoading.Failure) {
    guard settings.fleet.values.name != nil else { return }
    if let path = settings.fleet.values.secretFile {
      secret = try Self.read(path, "secretFile", settings)
      guard secret.count >= Self.leastBytes else {
        throw Self.failure("secretFile", settings, "\(path) has fewer than \(Self.leastBytes) bytes")
      }
    }
    if let path = settings.fleet.values.passwordFile {
      password = String(decoding: try Self.read(path, "passwordFile", settings), as: UTF8.self)
    }
  }

  private static func read(
    _ path: FilePath, _ name: String, _ settings: FileConfiguration
  ) throws(ConfigLoading.Failure) -> [UInt8] {
    var bytes: [UInt8]
    do throws(ConfigFile.Unreadable) {
      bytes = try ConfigFile.bytes(of: path.description, isAwaited: false)
    } catch {
      throw failure(
        name, settings, "\(path) cannot be read: \(error.reason)",
        status: error.isDenied ? EX_NOPERM : EX_CONFIG)
    }
    if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
    guard bytes.count <= mostBytes else {
      throw failure(name, settings, "\(path) has more than \(mostBytes) bytes")
    }
    return bytes
  }

  private static func failure(
    _ name: String, _ settings: FileConfiguration, _ text: String, status: Int32 = EX_CONFIG
  ) -> ConfigLoading.Failure {
    let complaint = Complaint(settings.fleet.origin(of: name), "'\(name)': \(text)")
    return ConfigLoading.Failure(complaints: [complaint.description], status: status)
  }
}
