import GatewayCore
import JSONRPC

/// Progress of a shared upstream reaches the callers of the task that it is about, under their own tokens.
extension Oracle {
  /// It is the next that the gateway handles, if it handles anything now.
  mutating func willHand(report number: Int, _ core: inout GatewayCore, _ clients: ClientTable) {
    let task = answers[number].task
    let isForNobody = answers[number].isForeign || mayBeOneTooMany(piece: number)
    sureOfReport = (number, isForNobody ? [] : callersWhoHear(of: task, &core, clients))
  }

  /// It was handled.
  mutating func handed(report number: Int, at link: Int) {
    let task = answers[number].task
    let sure = takeSure(of: number)
    if sure.isEmpty { coverage.count(.droppedReport) }
    guard tasks[task].link == link else { return }
    for caller in callers(of: task) { extend(caller, isSure: sure.contains(caller)) }
    // A caller whose task is not known may wait for this one.
    for client in clients.indices {
      for caller in clients[client].requests where records[caller].request.ask == answers[number].ask {
        if records[caller].task < 0 { records[caller].perhapsExtendedMilliseconds = .max / 4 }
      }
    }
  }

  /// The callers that surely hear the report before this answer; it is due to them from now on.
  mutating func takeSure(of number: Int) -> [Int] {
    let sure = sureOfReport.number == number ? sureOfReport.callers : []
    sureOfReport = (0, [])
    isDue(number, to: sure)
    return sure
  }

  mutating func heardReport(_ number: Int, _ text: ArraySlice<UInt8>, by client: Int) {
    coverage.count(.heardReport)
    guard answers.indices.contains(number),
      let token = Spelling.asks[Int(asks[answers[number].ask].form)].passed
    else { return complain("client \(client) heard progress that nobody reported") }
    expect(!answers[number].isForeign, "client \(client) heard of its request from where that never was")
    expect(
      text.elementsEqual(Report.text(number, token: token.own(answers[number].ask))),
      "client \(client) heard of its request by another token: \(self.text(text))")
    heard(besides: number, by: client)
  }
}
