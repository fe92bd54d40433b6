import GatewayCore

/// Answers in pieces: each caller hears all pieces in order, and none that is out of date.
extension LoopsScene {
  /// A loop's upstream says a piece of an answer, whether or not it is still wanted.
  func givePiece(at loop: Int) {
    guard !working[loop].isEmpty else { return }
    let (id, number) = pieceRandom.pick(working[loop])
    let value = number * Self.mostPieces + asked[number].pieces.given.count
    tell("the upstream of loop \(loop) gives piece \(value) of request \(number)")
    asked[number].pieces.give(at: steps, isStale: isOutdated(number) || isSuperseded(number, at: loop))
    loops[loop].answer(
      #"{"jsonrpc":"2.0","method":"lastword.piece","params":{"id":\#(id),"value":\#(value)}}"# + "\n")
  }

  /// Whether the loop that has its key has taken up a newer request since upstream heard of this one.
  private func isSuperseded(_ number: Int, at loop: Int) -> Bool {
    guard ["cancel", "cancelAndWait"].contains(asked[number].policy) else { return false }
    return asked.contains {
      $0.key == asked[number].key && $0.admitted >= asked[number].pieces.arrived && $0.admitted > 0
    }
  }

  func hearPiece(_ line: String, of client: Int) {
    guard let number = Int(line.digits(behind: #""id":""#)), asked.indices.contains(number),
      let value = Int(line.digits(behind: #""value":"#))
    else { return complain("a client heard \(line)") }
    guard asked[number].client == client else {
      return complain("a piece of \(number) reached another client")
    }
    guard !asked[number].isOver else { return complain("a piece of \(number) came behind its end") }
    guard asked[number].pieces.areTaken else { return complain("request \(number) takes no pieces") }
    let (source, place) = value.quotientAndRemainder(dividingBy: Self.mostPieces)
    guard mayShare(number, source) else { return complain("request \(number) heard a piece of \(source)") }
    guard asked[number].pieces.hear(place, of: asked[source].pieces) else {
      return complain("piece \(place) of request \(source) is not the next of \(number), or out of date")
    }
    if piecesPerTask > 0, place >= piecesPerTask { complain("request \(number) has too many pieces") }
  }

  /// More than any answer has.
  private static let mostPieces = 10_000

  /// What ends a request otherwise says how many pieces there were.
  func checkPieceCount(of number: Int, _ line: String) {
    checkPieces(asked[number].pieces.fault(ofEnd: line), of: number)
    let said = AskedPieces.said(line)
    let isRefusedForMany = line.contains("piecesPerTask")
    if isRefusedForMany, piecesPerTask == 0 || said != piecesPerTask {
      complain("request \(number) was refused for too many pieces behind \(said)")
    }
  }

  func checkPieces(_ fault: String?, of number: Int) {
    if let fault { complain("request \(number) \(fault)") }
  }

  /// With `onAnswer` the first piece of a newer request ends what is older.
  func checkPieceOrder() {
    for (number, older) in asked.enumerated() where older.policy == "onAnswer" {
      guard let last = older.pieces.lastHeard, let arrival = older.arrival else { continue }
      let newer = asked.firstIndex {
        $0.key == older.key && ($0.arrival ?? 0) > arrival && ($0.pieces.firstHeard ?? .max) < last
      }
      if let newer { complain("a piece of request \(number) was heard behind one of \(newer)") }
    }
  }
}
