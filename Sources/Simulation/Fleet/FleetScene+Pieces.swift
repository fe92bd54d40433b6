import GatewayCore

/// Answers in pieces, wherever their requests' keys are: each caller hears all pieces in order, and none that is out of
/// date, or that comes from a member that has been declared dead.
extension FleetScene {
  /// Upstreams have some of what they work on, be it wanted or not.
  mutating func givePieces() {
    for member in members.indices where !members[member].working.isEmpty && apart.oneIn(8) {
      let (id, number, _) = apart.pick(members[member].working)
      let value = asked[number].pieces.given.count
      tell("upstream gives piece \(value) of request \(number) to member \(member)")
      asked[number].pieces.give(
        at: Int(now), isStale: isOutdated(number) || asked[number].isSupersededElsewhere)
      guard members[member].state != .gone else { continue }
      members[member].unheard.append(
        #"{"jsonrpc":"2.0","method":"lastword.piece","params":{"id":\#(id),"value":\#(value)}}"# + "\n")
    }
  }

  mutating func hearPiece(_ line: String, of client: Int) {
    guard let number = Int(line.digits(behind: #""id":"#)), asked.indices.contains(number),
      let value = Int(line.digits(behind: #""value":"#))
    else { return complain("a client heard \(line)") }
    guard asked[number].client == client else {
      return complain("a piece of \(number) reached another client")
    }
    guard !asked[number].isOver else { return complain("a piece of \(number) came behind its end") }
    guard asked[number].pieces.areTaken else { return complain("request \(number) takes no pieces") }
    guard asked[number].pieces.hear(value) else {
      return complain("piece \(value) of request \(number) is not the next, or out of date")
    }
    if asked[number].isTakenBack { complain("request \(number) has a piece, and was taken back") }
    checkTakeover(of: number)
    pieceCount += 1
  }

  /// An error of ours says how many pieces there were; upstream's answer comes behind all of them.
  mutating func checkPieces(of number: Int, _ line: String) {
    let pieces = asked[number].pieces
    let isOwnError = line.contains(#""error":"#) && !line.contains(Self.failure)
    let fault = isOwnError ? pieces.fault(ofEnd: line) : pieces.fault(ofResultBehind: pieces)
    if let fault { complain("request \(number) \(fault)") }
  }
}
