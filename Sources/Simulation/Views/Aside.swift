/// A message of an upstream besides an answer, to the callers of that answer: the number of the answer that follows
/// identifies it.
struct Aside {
  private static let beginning = Array(#"{"jsonrpc":"2.0","method":"aside","params":{"n":"#.utf8)
  private static let naming = Array(#","_meta":{"io.modelcontextprotocol/subscriptionId":"#.utf8)

  let number: Int
  /// Of the request, where it names that; as it stands there.
  private(set) var id: ArraySlice<UInt8>?

  /// - Parameter id: of the request; nil: it does not name that.
  static func text(_ number: Int, id: Int?) -> [UInt8] {
    let text = beginning + Array("\(number)".utf8)
    guard let id else { return text + Array("}}".utf8) }
    return text + naming + Array("\(id)}}}".utf8)
  }

  /// Nil: it is none, as a client gets it.
  init?(_ text: ArraySlice<UInt8>) {
    guard text.starts(with: Self.beginning),
      let number = [UInt8].firstNumber(in: text.dropFirst(Self.beginning.count))
    else { return nil }
    self.number = number
    let rest = text.dropFirst(Self.beginning.count).drop { $0.isDigit }
    if rest.starts(with: Self.naming) { id = rest.dropFirst(Self.naming.count).dropLast(3) }
  }
}
