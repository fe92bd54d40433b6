/// Shortens a label beyond its bound to its beginning and a hash of the whole, so that different long labels stay
/// apart.
///
/// A client can make two of them collide on purpose; it could as well have sent the same label.
enum LongLabel {
  /// Hexadecimal digits of the hash: the least that a bound on labels can be.
  static let hashBytes = 16

  /// - Parameters:
  ///   - label: UTF-8, and stays so.
  ///   - count: at least `hashBytes`.
  static func shorten(_ label: inout [UInt8], to count: Int) {
    let hash = hash(label)
    var end = max(0, count - hashBytes)
    // Not in the middle of a character.
    while end > 0, label[end] & 0xc0 == 0x80 { end -= 1 }
    label.removeSubrange(end...)
    for shift in stride(from: 60, through: 0, by: -4) {
      label.append(Array("0123456789abcdef".utf8)[Int(hash >> UInt64(shift) & 15)])
    }
  }

  /// FNV-1a, as the same label must have the same hash in every run.
  private static func hash(_ label: [UInt8]) -> UInt64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in label { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return hash
  }
}
