import CLibUV

/// The operating system's name and version, as `uname` gives them.
package struct SystemName {
  /// The system's name, such as `Linux`.
  package let name: String
  /// The kernel's release.
  package let release: String
  /// The processor's architecture.
  package let machine: String

  /// Nil if the system does not say.
  package static var current: SystemName? {
    var names = uv_utsname_t()
    guard uv_os_uname(&names) == 0 else { return nil }
    return SystemName(name: text(names.sysname), release: text(names.release), machine: text(names.machine))
  }

  /// Swift imports C's arrays as tuples; libuv ends each with a zero.
  private static func text<Characters>(_ characters: Characters) -> String {
    withUnsafeBytes(of: characters) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }
}
