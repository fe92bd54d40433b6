import GatewayCore
import JSONRPC

/// What an exchange says besides its answer: it is known by the number of the answer that follows.
enum Aside {
  private static let beginning = Array(#"{"jsonrpc":"2.0","method":"aside","params":["#.utf8)

  static func text(_ number: Int) -> [UInt8] { beginning + Array("\(number)]}".utf8) }

  /// Nil: it is none.
  static func number(in text: ArraySlice<UInt8>) -> Int? {
    guard text.starts(with: beginning) else { return nil }
    return [UInt8].firstNumber(in: text.dropFirst(beginning.count))
  }
}

/// Who hears what exchanges say besides their answers: those who wait for these, and nobody else.
extension Oracle {
  /// Whoever surely waits for the answer must hear of it.
  /// - Returns: who that is.
  mutating func willSayAside(
    _ number: Int, of task: Int, _ core: inout GatewayCore, _ clients: ClientTable
  ) -> [Int] {
    let sure = callersWhoHear(of: task, &core, clients)
    isDue(number, to: sure)
    return sure
  }

  /// What comes before an answer reaches those that wait for it.
  mutating func isDue(_ number: Int, to callers: [Int]) {
    for caller in callers { clients[records[caller].client].asidesDue.append(number) }
  }

  /// Those that surely hear what is said of a task now.
  mutating func callersWhoHear(
    of task: Int, _ core: inout GatewayCore, _ clients: ClientTable
  ) -> [Int] {
    guard tasks[task].isAtUpstream, lateTurn != turn, tasks[task].creator != 0 else { return [] }
    var sure: [Int] = []
    for caller in callers(of: task) {
      let record = records[caller]
      guard record.isOwed, record.isClear, record.batch < 0, self.clients[record.client].kind != .exchange,
        nowMilliseconds < record.deadlineMilliseconds, openRequest(caller, &core, clients) != nil
      else { continue }
      sure.append(caller)
    }
    return sure
  }

  mutating func heardAside(_ number: Int, by client: Int) {
    coverage.count(.heardAside)
    heard(besides: number, by: client)
  }

  /// A client heard what was said before an answer.
  mutating func heard(besides number: Int, by client: Int) {
    if let place = clients[client].asidesDue.firstIndex(of: number) {
      clients[client].asidesDue.remove(at: place)
    }
    guard answers.indices.contains(number) else {
      return complain("client \(client) heard an aside that nobody said")
    }
    let own = callers(of: answers[number].task).filter { records[$0].client == client }
    // Of what is not clear nobody knows whose it is.
    let mayBe = own.contains { !records[$0].isReplied || !records[$0].isClear }
    expect(
      mayBe || own.isEmpty && !clients[client].isAllClear(records),
      "client \(client) heard what was said besides answer \(number), for which it does not wait")
  }

  /// Those that wait for a task, or did, as far as is known.
  func callers(of task: Int) -> [Int] {
    var (callers, caller) = ([Int](), tasks[task].firstCaller)
    while caller != 0 {
      callers.append(caller)
      caller = records[caller].nextOfTask
    }
    return callers
  }
}

extension ClientView {
  /// Whether it is known of each of its requests what became of it.
  fileprivate func isAllClear(_ records: [RecordView]) -> Bool {
    requests.allSatisfy { records[$0].isClear && (records[$0].task >= 0 || records[$0].isReplied) }
  }
}
