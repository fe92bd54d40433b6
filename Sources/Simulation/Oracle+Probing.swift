import GatewayCore
import JSONRPC
import TaskStore

/// Which requests are open, and who joined whom.
extension Oracle {
  /// Looks at what became of the messages that were just judged.
  mutating func probeArrivals(_ id: ClientID, _ core: inout GatewayCore) {
    let newestBefore = newestGeneration
    for number in arrivals { probe(number, id, newestBefore, &core) }
    for number in takenBack where openRequest(number, id, &core) != nil {
      complain("request \(number) is still open though its caller took it back")
    }
  }

  private mutating func probe(
    _ number: Int, _ id: ClientID, _ newestBefore: UInt64, _ core: inout GatewayCore
  ) {
    let request = records[number].request
    guard !request.isNotification, records[number].isClear else { return }
    guard let open = openRequest(number, id, &core) else {
      let lane = records[number].lane
      if lane >= 0, request.joinRule != .never { lanes[lane].mayHaveUnseenCallers = true }
      return
    }
    expect(!records[number].isRefusedByDrain, "request \(number) was admitted while draining")
    if let known = task(withID: open.task.rawValue), tasks[known].generation == open.generation {
      joins(number, known)
    } else {
      expect(open.generation > newestBefore, "the generation of request \(number) is not the newest")
      isAdmitted(number, as: open)
    }
  }

  /// Whether the core says that a request waits for an answer; its client must be there.
  mutating func openRequest(_ number: Int, _ id: ClientID, _ core: inout GatewayCore) -> OpenRequest? {
    scratch.removeAll(keepingCapacity: true)
    records[number].request.appendID(to: &scratch)
    scratch.append(contentsOf: repeatElement(0, count: JSONText.slackByteCount))
    let range = ByteRange(0..<scratch.count - JSONText.slackByteCount)
    return core.openRequest(range, in: scratch.span, of: id)
  }

  private mutating func isAdmitted(_ number: Int, as open: OpenRequest) {
    let record = records[number]
    var task = TaskView(id: open.task.rawValue)
    task.generation = open.generation
    task.lane = record.lane
    task.admitted = record.handled
    task.policy = record.request.effectivePolicy
    task.drainMilliseconds = drainMilliseconds(of: record.request)
    if !mayHaveJoinedTheUnseen(number) { task.creator = number }
    addCaller(number, to: add(task))
    newestGeneration = max(newestGeneration, open.generation)
    guard record.lane >= 0, record.request.supersedesOlder else { return }
    addBarrier(open.generation, at: record.handled, in: record.lane)
  }

  /// Whether another request came and went with the same bytes whose task this one may have joined.
  private func mayHaveJoinedTheUnseen(_ number: Int) -> Bool {
    let record = records[number]
    guard record.request.joinRule != .never else { return false }
    return arrivals.contains {
      $0 < number && records[$0].task < 0 && records[$0].lane == record.lane
    }
  }

  func drainMilliseconds(of request: Request) -> Int {
    Int(request.drainMilliseconds ?? configuration.drainMilliseconds)
  }

  private mutating func joins(_ number: Int, _ task: Int) {
    let record = records[number]
    coverage.count(record.request.effectivePolicy, .joined)
    addCaller(number, to: task)
    expect(
      tasks[task].lane == record.lane && record.request.key >= 0,
      "request \(number) joined a task of another lane")
    let creator = records[tasks[task].creator].request
    switch record.request.joinRule {
    case .always: break
    case .identical:
      let isSame = tasks[task].creator == 0 || creator.ask == record.request.ask
      expect(isSame, "request \(number) joined \(creator.number), which asks something else")
    case .never: complain("request \(number) joined \(creator.number) though it never may")
    }
    guard record.lane >= 0, record.request.supersedesOlder else { return }
    addBarrier(tasks[task].generation, at: record.handled, in: record.lane)
  }

  private mutating func addCaller(_ number: Int, to task: Int) {
    records[number].task = task
    records[number].nextOfTask = tasks[task].firstCaller
    tasks[task].firstCaller = number
    tasks[task].callerCount += 1
  }

  /// Whether any known caller of a task still waits.
  mutating func isOpen(_ task: Int, _ core: inout GatewayCore, _ clients: ClientTable) -> Bool {
    var number = tasks[task].firstCaller
    while number != 0 {
      let record = records[number]
      if record.isOwed, let id = clients.id(of: record.client),
        openRequest(number, id, &core)?.task.rawValue == tasks[task].id
      {
        return true
      }
      number = record.nextOfTask
    }
    return false
  }
}
