/// Bytes as text that needs no quoting in URLs, headers and files (RFC 4648, section 5).
package enum Base64URL {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  /// Without padding: 4 characters for each 3 bytes, and 2 or 3 for what is left.
  package static func text(of bytes: [UInt8]) -> String {
    let groups = stride(from: 0, to: bytes.count, by: 3).map { bytes[$0..<min($0 + 3, bytes.count)] }
    return String(decoding: groups.flatMap(characters), as: UTF8.self)
  }

  private static func characters(of group: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
    return [18, 12, 6, 0].map { alphabet[bits >> $0 & 63] }.prefix(group.count + 1)
  }
}
