extension String {
  /// The text with what a terminal would obey, or show in no or two columns, made visible.
  var printable: String {
    String(
      String.UnicodeScalarView(
        unicodeScalars.map { scalar in
          switch scalar.value {
          case 9: " "
          case 0x20...0x7e, 0xa1...0xac, 0xae...0x2ff: scalar
          default: "\u{b7}"
          }
        }))
  }

  func padded(to columns: Int) -> String { self + String(repeating: " ", count: max(0, columns - count)) }
  func leftPadded(to columns: Int) -> String { String(repeating: " ", count: max(0, columns - count)) + self }
}
