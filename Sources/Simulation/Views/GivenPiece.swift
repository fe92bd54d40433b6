/// Some of an answer: it is known by the number of the answer that follows.
struct GivenPiece {
  private static let beginning = #"{"jsonrpc":"2.0","method":"lastword.piece","params":{"id":"#
  private static let middle = #","value":"#

  /// Of the request, as its client spelt it.
  let id: ArraySlice<UInt8>
  let number: Int

  /// As upstream says it, in one of the ways in which it may.
  static func text(_ number: Int, id: Int) -> [UInt8] {
    let text =
      number.isMultiple(of: 2)
      ? "\(beginning)\(id)\(middle)\(number)}}"
      : #"{"jsonrpc":"2.0","params":{"value":\#(number) , "x":{},"id":\#(id)},"method":"lastword.piece"}"#
    return Array(text.utf8)
  }

  /// Nil: it is none, as a client gets it.
  init?(_ text: ArraySlice<UInt8>) {
    guard text.starts(with: Self.beginning.utf8), text.suffix(2).elementsEqual("}}".utf8) else { return nil }
    let said = text.dropFirst(Self.beginning.utf8.count).dropLast(2)
    guard let behind = said.lastIndex(where: { !$0.isDigit }),
      let number = [UInt8].firstNumber(in: said[(behind + 1)...]),
      said[...behind].suffix(Self.middle.utf8.count).elementsEqual(Self.middle.utf8)
    else { return nil }
    id = said[...behind].dropLast(Self.middle.utf8.count)
    self.number = number
  }
}
