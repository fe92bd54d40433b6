import GatewayCore

/// What is known of the pieces of one request's answer.
struct AskedPieces {
  /// Its caller takes them.
  var areTaken = false
  /// The step in which upstream heard of the request.
  var arrived = 0
  /// By piece, the step in which upstream gave it.
  private(set) var given: [Int] = []
  /// Its caller must not get this one, nor any behind it.
  private(set) var firstStale = Int.max
  /// So many there were when upstream answered.
  private(set) var whole = Int.max
  private(set) var heardCount = 0

  mutating func give(at step: Int, isStale: Bool) {
    if isStale { firstStale = min(firstStale, given.count) }
    given.append(step)
  }

  mutating func end() { whole = given.count }

  /// Whether it is the next, and may be heard.
  /// - Parameter source: whose piece it is; nil: its own.
  mutating func hear(_ number: Int, of source: AskedPieces? = nil) -> Bool {
    let source = source ?? self
    guard number == heardCount, number < source.given.count, number < source.firstStale else { return false }
    heardCount += 1
    return true
  }

  /// The step in which the last one was given that was heard, and the first.
  var lastHeard: Int? { heardCount > 0 ? given[heardCount - 1] : nil }
  var firstHeard: Int? { heardCount > 0 ? given[0] : nil }
}

/// Answers that come in pieces: each is heard by who waits for it, all of them in order, and none that is out of date.
extension LoopsScene {
  /// The upstream of a loop has some of an answer, be it wanted or not.
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
    guard let number = Int(Self.digits(in: line, behind: #""id":""#)), asked.indices.contains(number),
      let value = Int(Self.digits(in: line, behind: #""value":"#))
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

  /// A result comes behind all pieces of the request that it is of.
  func checkPieces(of number: Int, behind source: Int) {
    let pieces = asked[number].pieces
    let all = pieces.areTaken ? asked[source].pieces.whole : 0
    if pieces.heardCount != all {
      complain("request \(number) got its result behind \(pieces.heardCount) of \(all) pieces")
    }
  }

  /// What ends a request otherwise says how many pieces there were.
  func checkPieceCount(of number: Int, _ line: String) {
    let pieces = asked[number].pieces
    let said = Int(Self.digits(in: line, behind: #""pieces":"#)) ?? 0
    if said != pieces.heardCount {
      complain("request \(number) heard \(pieces.heardCount) pieces, and of \(said)")
    }
    let isRefusedForMany = line.contains("piecesPerTask")
    if isRefusedForMany, piecesPerTask == 0 || said != piecesPerTask {
      complain("request \(number) was refused for too many pieces behind \(said)")
    }
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
