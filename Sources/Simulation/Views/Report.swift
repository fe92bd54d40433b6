/// Progress that a shared upstream reports: the number of the answer that follows identifies it.
enum Report {
  private static let beginning = #"{"jsonrpc":"2.0","method":"$/progress","params":{"value":"#
  private static let beginningMCP =
    #"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":"#

  /// - Parameter token: as it stands there.
  static func text(_ number: Int, token: [UInt8]) -> [UInt8] {
    let isMCP = number.isMultiple(of: 2)
    let name = isMCP ? "progressToken" : "token"
    return Array("\(isMCP ? beginningMCP : beginning)\(number),\"\(name)\":".utf8) + token + Array("}}".utf8)
  }

  /// Nil: it is none.
  static func number(in text: ArraySlice<UInt8>) -> Int? {
    guard let own = [beginning, beginningMCP].first(where: { text.starts(with: $0.utf8) }) else { return nil }
    return [UInt8].firstNumber(in: text.dropFirst(own.utf8.count))
  }
}
