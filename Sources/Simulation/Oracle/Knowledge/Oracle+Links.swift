import GatewayCore
import TaskStore

/// Connections to upstreams, that come and go.
extension Oracle {
  mutating func isUp(link: Int) {
    event += 1
    let upstream = numbering.upstream(of: link)
    links[link].isUp = true
    links[link].lastDown = event
    links[link].lastDownTurn = turn
    links[link].connection += 1
    links[link].dues.removeAll()
    links[link].endedMilliseconds = .max
    upstreams[upstream].isDown = false
    upstreams[upstream].lastDown = event
    upstreams[upstream].isDisturbed = true
  }

  /// The connection, or the attempt at one, is over.
  mutating func isDown(link: Int) {
    event += 1
    let upstream = numbering.upstream(of: link)
    if links[link].isUp { upstreams[upstream].lastLoss = event }
    for task in links[link].calls where tasks[task].isAtUpstream { tasks[task].isLost = true }
    links[link].calls.removeAll(keepingCapacity: true)
    for lane in lanes.indices {
      for task in lanes[lane].tasks where tasks[task].upstream == upstream { disturbLane(of: task) }
    }
    links[link].isUp = false
    links[link].lastDown = event
    links[link].lastDownTurn = turn
    closeQuestions(of: link)
    owedCancels.removeAll { tasks[$0].link == link }
    owedUndoings.removeAll { tasks[$0].link == link }
    noteDown(upstream)
  }

  /// It was told that nothing more comes.
  mutating func hasEnded(link: Int, _ core: inout GatewayCore, _ clients: ClientTable) {
    links[link].endedMilliseconds = nowMilliseconds
    coverage.count(.passedEnd)
    for task in upstreams[numbering.upstream(of: link)].unsent {
      let isOpen = tasks[task].sighted == 0 && isOpen(task, &core, clients)
      expect(!isOpen, "link \(link) was told the end before request \(tasks[task].creator)")
    }
    guard let client = numbering.client(of: numbering.upstream(of: link)),
      !self.clients[client].options.cancelsAtEnd
    else { return }
    for task in links[link].calls where mayHaveToBeUndone(task) {
      let isSure = tasks[task].isUndoing || tasks[task].creator != 0
      let isKnown = isSure && (isSurelyKnown(task) || isOpen(task, &core, clients))
      expect(!isKnown, "link \(link) was told the end, and call \(tasks[task].id) undoes, or is to be undone")
    }
  }

  /// Whether a call at its upstream undoes another, or would be undone if it succeeded and nobody wanted it.
  func mayHaveToBeUndone(_ task: Int) -> Bool {
    let view = tasks[task]
    return view.isAtUpstream && (view.isUndoing || view.isUndoable || view.creator == 0)
  }

  /// Nothing more is heard over it, not even last words.
  mutating func isClosed(link: Int) {
    links[link].isBacklogged = false
    for task in links[link].calls { tasks[task].isLost = true }
    links[link].calls.removeAll(keepingCapacity: true)
  }

  private mutating func noteDown(_ upstream: Int) {
    upstreams[upstream].isDisturbed = true
    upstreams[upstream].lastUsed = -1
    let hasOther = upstreams[upstream].links.contains { links[$0].isUp }
    guard !upstreams[upstream].isDown, !hasOther else { return }
    upstreams[upstream].isDown = true
    upstreams[upstream].downSinceMilliseconds = nowMilliseconds
  }

  /// An upstream of a client's own is lost for good: whatever is open there fails, its client reads the rest and goes.
  mutating func isLost(_ upstream: Int, _ core: inout GatewayCore, _ clients: ClientTable) {
    let client = upstreams[upstream].client
    coverage.count(.lostOwn)
    upstreams[upstream].isLost = true
    for number in openRequests(of: client, &core, clients) where records[number].isClear {
      let task = records[number].task
      guard task >= 0, tasks[task].upstream == upstream, tasks[task].isUpstreamKnown else { continue }
      guard let open = open(task, &core, clients), open.state == .running else { continue }
      complain("request \(number) outlived the upstream of its client's own")
    }
  }

  // MARK: Losing a connection

  /// Tasks that surely wait for a connection or for room.
  mutating func waiting(for upstream: Int, _ core: inout GatewayCore, _ clients: ClientTable) -> [Int] {
    guard !upstreams[upstream].isDisturbed else { return [] }
    return upstreams[upstream].waiting.filter { isOpen($0, &core, clients) }
  }

  /// What waited when a connection was lost still goes over the next one.
  mutating func expectOpen(_ waiting: [Int], _ core: inout GatewayCore, _ clients: ClientTable) {
    for task in waiting where !isOpen(task, &core, clients) {
      complain("request \(tasks[task].creator) waited, and went with a connection")
    }
  }
}
