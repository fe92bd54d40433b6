import GatewayCore
import JSONRPC
import TaskStore

/// Cancels that upstreams hear, and exchanges that are aborted, for tasks that nobody wants any more.
extension World {
  /// Whether this is a cancel in any dialect. A client's own cancel names its own id, which no upstream knows.
  mutating func hearsCancel(_ envelope: Envelope, in bytes: [UInt8], over link: Int) -> Bool {
    let params = bytes[envelope.params.range]
    guard let dialect = dialect(of: bytes[envelope.method.range]) else { return false }
    if params.starts(with: Self.ownCancel) {
      oracle.expect(false, "link \(link) was told what a client takes back: \(oracle.text(params))")
      return true
    }
    let id = [UInt8].firstNumber(in: params) ?? 0
    let isSpelt = Template("{\"\(member(of: dialect))\":~}").matches(id, params)
    oracle.expect(isSpelt, "upstream was told to cancel by \(oracle.text(params))")
    if let task = oracle.sawCancel(UInt64(id), dialect, at: link, &core, clients) {
      for call in links[link].calls.indices where links[link].calls[call].task == task {
        links[link].calls[call].isCancelled = true
      }
    }
    return true
  }

  /// As clients begin the params of theirs.
  private static let ownCancel = Array(#"{"reason":"r"#.utf8)

  private func dialect(of method: ArraySlice<UInt8>) -> CancelDialect? {
    if method.elementsEqual(#""$/cancelRequest""#.utf8) { return .lsp }
    if method.elementsEqual(#""notifications/cancelled""#.utf8) { return .mcp }
    return method.elementsEqual(Spelling.stop.utf8) ? .notification : nil
  }

  private func member(of dialect: CancelDialect) -> String {
    dialect == .mcp ? "requestId" : dialect == .lsp ? "id" : "job"
  }

  // MARK: Exchanges

  mutating func listenToExchanges(_ link: Int) {
    let slot = links[link].slot
    let wishes = network.pipes[slot].exchanges
    network.pipes[slot].exchanges.removeAll(keepingCapacity: true)
    for wish in wishes {
      switch wish {
      case .begin(let exchange, let message): begins(exchange, message, over: link)
      case .abort(let task): aborts(task, over: link)
      }
    }
  }

  private mutating func begins(_ exchange: Exchange, _ message: [UInt8], over link: Int) {
    log.add(message[...])
    let bytes = message + [UInt8](repeating: 0xff, count: Self.slackBytes)
    var envelope = Envelope()
    let outcome = EnvelopeScanner.scan(bytes.span, message.indices, into: &envelope)
    guard case .message = outcome, !envelope.isResponse else {
      return oracle.complain("an exchange began with what is no request: \(oracle.text(message[...]))")
    }
    let named = JSONNumber.nonNegativeInteger(envelope.id, in: bytes.span)
    let isSame = named == (exchange.isNotification ? nil : exchange.task?.rawValue)
    oracle.expect(
      isSame && envelope.isNotification == exchange.isNotification,
      "an exchange began as another's: \(oracle.text(message[...]))")
    let own = exchange.isNotification ? exchange.task?.rawValue : nil
    hears(envelope, in: bytes, over: link, exchange: own)
    check(exchange, over: link)
  }

  /// What goes along with an exchange is its caller's.
  private mutating func check(_ exchange: Exchange, over link: Int) {
    let left = Int(clamping: exchange.remainingMilliseconds)
    guard let task = links[link].calls.last?.task, exchange.task != nil else { return }
    if oracle.tasks[task].isUndoing {
      let limit = Int(oracle.configuration.store.compensationMilliseconds)
      return oracle.expect(left == limit, "what is undone has \(left) ms, not \(limit)")
    }
    let creator = oracle.tasks[task].creator
    if creator != 0 {
      oracle.checkTask(of: creator, leftMilliseconds: left, trace: exchange.traceparent[...], at: link)
    }
  }

  private mutating func aborts(_ task: TaskID, over link: Int) {
    let id = Int(task.rawValue)
    log.add(id)
    if let place = links[link].calls.firstIndex(where: { $0.id == id }) {
      let call = links[link].calls.remove(at: place)
      links[link].remember(call)
      return oracle.sawAbort(of: call.task, at: link, &core, clients)
    }
    // What ended in this turn may have been given up before.
    guard let place = links[link].endedInTurn.firstIndex(where: { $0.id == id }) else {
      return oracle.complain("exchange \(id) was aborted, and is none that goes on")
    }
    oracle.sawAbort(of: links[link].endedInTurn.remove(at: place).task, at: link, &core, clients)
  }
}
