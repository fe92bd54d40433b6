import GatewayCore
import JSONRPC

/// Messages besides answers reach the callers of the task, and nobody else.
extension Oracle {
  /// Each caller that surely waits for the answer must hear of the aside.
  /// - Returns: these callers.
  mutating func willSayAside(
    _ number: Int, of task: Int, _ core: inout GatewayCore, _ clients: ClientTable
  ) -> [Int] {
    let sure = mayBeOneTooMany(piece: number) ? [] : callersWhoHear(of: task, &core, clients)
    isDue(number, to: sure)
    return sure
  }

  /// The aside before an answer reaches these callers.
  mutating func isDue(_ number: Int, to callers: [Int]) {
    for caller in callers { clients[records[caller].client].asidesDue.append((number, caller)) }
  }

  /// The callers that surely hear what upstream says of a task now.
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

  /// One that comes over a connection was handled.
  mutating func handed(aside number: Int) {
    if takeSure(of: number).isEmpty { coverage.count(.droppedAside) }
  }

  mutating func heard(_ aside: Aside, by client: Int) {
    coverage.count(.heardAside)
    heard(besides: aside.number, by: client)
    guard answers.indices.contains(aside.number), let id = aside.id else { return }
    coverage.count(.heardSubscribed)
    let own = callers(of: answers[aside.number].task).filter { records[$0].client == client }
    let named = own.filter { isCalled($0, id) }
    expect(
      own.isEmpty || named.contains { !records[$0].isReplied || !records[$0].isClear },
      "client \(client) heard of a subscription of its own as of \(text(id))")
  }

  /// A client heard what was said before an answer.
  /// - Parameter caller: as which of its requests; nil: it was not said.
  mutating func heard(besides number: Int, by client: Int, as caller: Int? = nil) {
    let place = clients[client].asidesDue.firstIndex {
      $0.answer == number && (caller == nil || $0.caller == caller)
    }
    if let place {
      clients[client].asidesDue.remove(at: place)
    }
    guard answers.indices.contains(number) else {
      return complain("client \(client) heard an aside that nobody said")
    }
    let own = callers(of: answers[number].task).filter { records[$0].client == client }
    // Nobody knows which task an unclear request has.
    let mayBe = own.contains { !records[$0].isReplied || !records[$0].isClear }
    expect(
      mayBe || own.isEmpty && !clients[client].isAllClear(records),
      "client \(client) heard what was said besides answer \(number), for which it does not wait")
  }

  /// Whether its client calls a request so.
  func isCalled(_ number: Int, _ id: ArraySlice<UInt8>) -> Bool {
    var own: [UInt8] = []
    records[number].request.appendID(to: &own)
    return id.elementsEqual(own)
  }

  /// Callers that wait for a task, or did, as far as they are known.
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
