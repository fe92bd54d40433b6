import Client
import LibUV
import TaskStore

/// Decides what is sent, and when.
extension LoadRun {
  /// How many requests are sent before replies are read.
  private static let sendsPerTurn = 1_000

  func startSending() {
    switch options.pace {
    case .closed(let depth):
      for index in lanes.indices { fill(index, depth: depth) }
    case .open(let schedule): open(schedule)
    // The schedule is ignored: typists have a pace of their own.
    case .typing: open(.constant(perSecond: 1))
    }
  }

  private func open(_ schedule: Schedule) {
    arrivals = Arrivals(
      options.workload, schedule, warmUpSeconds: Double(options.warmUpMilliseconds) / 1e3,
      seconds: Double(options.milliseconds) / 1e3)
    nextArrival = arrivals?.next()
  }

  private func fill(_ index: Int, depth: Int) {
    let now = PreciseTimer.nowNanoseconds
    for _ in 0..<depth { sendNext(on: index, now) }
  }

  /// A connection that the client itself had ended is back.
  func resume(_ index: Int) {
    guard phase == .running else { return }
    if case .closed(let depth) = options.pace { return fill(index, depth: depth) }
    let held = lanes[index].held.removeAll()
    heldCount -= held.count
    let now = PreciseTimer.nowNanoseconds
    for arrival in held { send(arrival.request, intended: startNanoseconds + arrival.nanoseconds, now) }
  }

  /// In a closed loop, as often as a reply came.
  func sendNext(on index: Int, _ now: UInt64) {
    guard phase == .running, arrivals == nil, mayAsk(index) else { return }
    send(source.next(on: index), intended: now, now)
  }

  /// In an open loop.
  func sendWhatIsDue(_ now: UInt64) {
    noteIfFull(now)
    defer { noteIfFull(now) }
    var left = Self.sendsPerTurn
    while let arrival = nextArrival, phase == .running, left > 0, mayOpenMore {
      let intended = startNanoseconds + arrival.nanoseconds
      guard intended <= now, intended < endNanoseconds else { return }
      nextArrival = arrivals?.next()
      left -= 1
      if intended <= fullNanoseconds { recorder.heldBack(intended) }
      if mayAsk(arrival.request.connection) {
        send(arrival.request, intended: intended, now)
      } else {
        lanes[arrival.request.connection].held.append(arrival)
        heldCount += 1
      }
    }
  }

  /// Notes that as many requests as allowed are open, so that due ones have to wait.
  private func noteIfFull(_ now: UInt64) {
    if !mayOpenMore { fullNanoseconds = now }
  }

  private func mayAsk(_ lane: Int) -> Bool {
    lanes[lane].transport.posts ? !lanes[lane].free.isEmpty : lanes[lane].links[0].connection != nil
  }

  /// Takes a connection for a client's next request; nil: none is free.
  private func takeLink(_ lane: Int) -> LoadLink? {
    lanes[lane].transport.posts ? lanes[lane].free.popLast() : lanes[lane].links[0]
  }

  /// The connection can take the next POST.
  func becameFree(_ link: LoadLink) {
    let lane = link.lane
    if link.isForCancels {
      guard let number = lanes[lane].cancels.removeFirst() else { return }
      return link.send(&scratch) { RequestWriter.writeCancel(number, into: &$0) }
    }
    lanes[lane].free.append(link)
    guard phase == .running else { return }
    let now = PreciseTimer.nowNanoseconds
    if arrivals == nil { return sendNext(on: lane, now) }
    guard let arrival = lanes[lane].held.removeFirst() else { return }
    heldCount -= 1
    send(arrival.request, intended: startNanoseconds + arrival.nanoseconds, now)
  }

  private var mayOpenMore: Bool { oracle.open.count + heldCount < options.openLimit }

  /// When the next request is due; far away in a closed loop, which waits for replies.
  var nextSendNanoseconds: UInt64 {
    guard let nextArrival, mayOpenMore else { return .max }
    return startNanoseconds + nextArrival.nanoseconds
  }

  private func send(_ request: RequestShape, intended: UInt64, _ now: UInt64) {
    guard let link = takeLink(request.connection) else { return }
    number += 1
    let open = OpenRequest(
      number: number, connection: request.connection, key: request.key,
      policy: options.isDirect ? nil : request.policy, intendedNanoseconds: intended, sentNanoseconds: now)
    oracle.sent(open)
    recorder.sent(open)
    let key = keyNumber(request)
    trace.note(
      .sent(policy: request.policy?.wireName ?? "no policy"), number, connection: request.connection,
      key: key, at: now)
    let posts = lanes[request.connection].transport.posts
    if posts { link.asked = number }
    link.send(&scratch) { writer.write(number, request, keyNumber: key, saysOrder: posts, into: &$0) }
    if request.isCancelled && !options.isDirect { planCancel(request.connection, now) }
    if number == options.requests { stopSending() }
  }

  /// Among the keys of all connections.
  private func keyNumber(_ request: RequestShape) -> Int { keyNumber(request.connection, request.key) }

  func keyNumber(_ connection: Int, _ key: Int) -> Int {
    options.workload.sharesKeys ? key : connection * options.workload.keys + key
  }

  /// Counts the requests that were due before the end but were not sent.
  func countUnsent() {
    for lane in lanes {
      var held = lane.held
      while let arrival = held.removeFirst() { recorder.unsent(startNanoseconds + arrival.nanoseconds) }
    }
    let end = min(endNanoseconds, PreciseTimer.nowNanoseconds)
    while let arrival = nextArrival, startNanoseconds + arrival.nanoseconds < end,
      options.requests == 0 || number < options.requests
    {
      let intended = startNanoseconds + arrival.nanoseconds
      recorder.unsent(intended)
      if intended <= fullNanoseconds { recorder.heldBack(intended) }
      nextArrival = arrivals?.next()
    }
  }

  // MARK: Second thoughts

  private func planCancel(_ connection: Int, _ now: UInt64) {
    cancels.append(
      .init(
        nanoseconds: now + options.cancelMilliseconds * 1_000_000, number: number, connection: connection))
  }

  func cancelWhatIsDue(_ now: UInt64) {
    while let cancel = cancels.removeDue(at: now) {
      let link = lanes[cancel.connection].links[0]
      guard link.connection != nil, oracle.cancelled(cancel.number, on: cancel.connection, at: now) else {
        continue
      }
      trace.note(.cancelled, cancel.number, connection: cancel.connection, key: -1, at: now)
      if link.isBusy {
        lanes[cancel.connection].cancels.append(cancel.number)
      } else {
        link.send(&scratch) { RequestWriter.writeCancel(cancel.number, into: &$0) }
      }
    }
  }
}
