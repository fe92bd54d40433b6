import JSONRPC

/// Invariant 7: params, ids and results leave byte for byte as they came, but for line breaks between tokens where
/// messages are lines.
extension Oracle {
  // MARK: To upstreams

  /// A request reaches upstream as the client spelt it; where messages are lines, line ends in it are replaced.
  func expectAskUnchanged(_ ask: Int, _ isSame: Bool) {
    expect(isSame, "invariant 7: ask \(ask) reached upstream changed")
  }

  func expectAsk(_ ask: Int, of creator: Int, by id: UInt64) {
    let isSame = records[creator].request.ask == ask
    expect(isSame, "invariant 7: call \(id) asks \(ask), not what \(creator) asked")
  }

  /// An undoing request carries the original params and result unchanged.
  func expectUndoingUnchanged(_ isSame: Bool) {
    expect(isSame, "invariant 7: what is to be undone changed on the way")
  }

  // MARK: To clients

  mutating func checkID(_ number: Int, _ id: ArraySlice<UInt8>) -> Bool {
    scratch.removeAll(keepingCapacity: true)
    records[number].request.appendID(to: &scratch)
    let isSame = scratch.elementsEqual(id)
    expect(isSame, "invariant 7: the id of request \(number) came back as \(text(id))")
    return isSame
  }

  func complainOfUnknownID(_ id: ArraySlice<UInt8>, to client: Int) {
    complain("invariant 7: client \(client) got a reply to an id that it never used: \(text(id))")
  }

  mutating func judgeResult(_ reply: ReplyView, to number: Int, in bytes: [UInt8]) {
    guard let answer = [UInt8].firstNumber(in: bytes[reply.result]), answer < answers.count else {
      return complain("invariant 7: request \(number) got a result that upstream never gave")
    }
    judge(answer, isError: false, to: number, results(for: number)[answers[answer].form], bytes[reply.result])
    coverage.count(records[number].policy, .delivered)
  }

  mutating func judgeUpstreamError(_ reply: ReplyView, to number: Int, in bytes: [UInt8]) {
    guard reply.answer >= 0, reply.answer < answers.count else {
      return complain("invariant 7: request \(number) got an error that upstream never gave")
    }
    judge(reply.answer, isError: true, to: number, Spelling.error, bytes[reply.error])
    coverage.count(records[number].policy, .failed)
  }

  /// How results are spelt for the client of this request.
  private func results(for number: Int) -> [Template] {
    clients[records[number].client].framing == .lines ? Spelling.flatResults : Spelling.results
  }

  func expectUnchanged(_ answer: Int, to number: Int, _ template: Template, _ bytes: ArraySlice<UInt8>) {
    let isSame = template.matches(answer, bytes)
    expect(isSame, "invariant 7: answer \(answer) reached request \(number) changed")
  }
}
