/// The permissions of the file of a Unix socket.
package struct SocketMode: Hashable, Sendable {
  package let bits: UInt32

  /// Whether every user may connect, which takes the permission to write.
  var isForEverybody: Bool { bits & 0o002 != 0 }
}

extension SocketMode: SettingText {
  static let form = "octal digits such as 0660, its owner's at least 06"

  var settingText: String { (bits < 0o1000 ? "0" : "") + String(bits, radix: 8) }

  /// Throws without the owner's permissions, as then only root could connect.
  init(setting text: String) throws(Mistake) {
    let isOctal = text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "7")).contains($0) }
    guard isOctal, (3...4).contains(text.utf8.count), let bits = UInt32(text, radix: 8), bits <= 0o777,
      bits & 0o600 == 0o600
    else { throw Self.mistake(text) }
    self.bits = bits
  }
}
