/// The methods of a route: one, or all with the same beginning.
package struct MethodPattern: Sendable {
  /// The whole name, or the prefix before the `*`.
  package let literal: String
  package let isPrefix: Bool

  /// The more specific of the patterns that match a method is the one that applies: a name before a prefix, a
  /// longer prefix before a shorter one.
  package func isMoreSpecific(than other: MethodPattern) -> Bool {
    if isPrefix != other.isPrefix { return !isPrefix }
    return literal.utf8.count > other.literal.utf8.count
  }
}

/// Compares bytes: Swift would take two names that only look alike for the same.
extension MethodPattern: Hashable {
  package static func == (one: MethodPattern, other: MethodPattern) -> Bool {
    one.isPrefix == other.isPrefix && one.literal.utf8.elementsEqual(other.literal.utf8)
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(isPrefix)
    for byte in literal.utf8 { hasher.combine(byte) }
  }
}

extension MethodPattern: SettingText {
  static let form = "a method of at most \(SettingLimit.nameBytes) bytes, or the beginning of one and a '*'"
  var settingText: String { isPrefix ? literal + "*" : literal }

  init(setting text: String) throws(Mistake) {
    isPrefix = text.utf8.last == UInt8(ascii: "*")
    literal = isPrefix ? String(decoding: text.utf8.dropLast(), as: UTF8.self) : text
    guard !text.isEmpty, !literal.utf8.contains(UInt8(ascii: "*")), text.utf8.count <= SettingLimit.nameBytes
    else {
      throw Self.mistake(text)
    }
    if MethodName.isOwn(literal) { throw MethodName.ownMistake(text) }
  }
}
