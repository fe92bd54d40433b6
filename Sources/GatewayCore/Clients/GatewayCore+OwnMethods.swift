import HotData
import JSONRPC
import TaskStore

extension GatewayCore {
  // MARK: Cancelling

  /// `$/cancelRequest`: takes back the newest open request of this connection with that id, if there is one. It
  /// should be a notification; sent as a request it is answered, as every request is.
  mutating func cancelRequest(_ bytes: Span<UInt8>, _ envelope: Envelope, from sender: Sender) {
    if let id = CancelledID.member("id", of: envelope, in: bytes) {
      _ = cancel(id, in: bytes, of: sender.client)
    }
    answerNull(to: envelope, in: bytes, of: sender)
  }

  /// `lastword.cancel`: every request it reaches hears that it was cancelled; the result counts them.
  mutating func cancelTasks(_ bytes: Span<UInt8>, _ envelope: Envelope, from sender: Sender) {
    guard let target = target(bytes, envelope, keyOnly: false, from: sender) else { return }
    let cancelled = cancel(target, in: bytes, of: sender.client)
    var result = Array("{\"cancelled\":".utf8)
    result.append(decimal: UInt64(cancelled))
    result.append(UInt8(ascii: "}"))
    answer(result, to: envelope, in: bytes, of: sender)
  }

  /// What a request of ours is about; nil when it does not say so and was refused.
  private mutating func target(
    _ bytes: Span<UInt8>, _ envelope: Envelope, keyOnly: Bool, from sender: Sender
  ) -> TaskTarget? {
    do throws(RPCError) {
      return try targets.read(envelope.params, keyOnly: keyOnly, in: bytes)
    } catch {
      refuseMessage(error, of: envelope, in: bytes, from: sender)
      return nil
    }
  }

  private mutating func cancel(_ target: TaskTarget, in bytes: Span<UInt8>, of client: Int) -> Int {
    switch target {
    case .id(let id): return cancel(id, in: bytes, of: client)
    case .key(let label, let scope):
      let keys = find(label, scope, in: bytes, of: client)
      return countingCancelled { core in
        for key in keys { core.store.cancelled(in: key, effects: &core.effects) }
      }
    case .group(let label):
      let waiters = targets.groups.withBytes(of: label, in: bytes) {
        callers.waiters(ofGroup: $0, of: client)
      }
      guard let waiters, !waiters.isEmpty else { return 0 }
      return countingCancelled { core in core.store.cancelled(waiters, effects: &core.effects) }
    }
  }

  mutating func cancel(_ id: ByteRange, in bytes: Span<UInt8>, of client: Int) -> Int {
    guard
      let waiter = callers.newest(
        withID: id, in: bytes, of: client, among: &clients[client].openRequests)
    else { return 0 }
    return countingCancelled { core in core.store.cancelled(waiter, effects: &core.effects) }
  }

  private mutating func countingCancelled(_ event: (inout GatewayCore) -> Void) -> Int {
    let before = counters.cancelled
    event(&self)
    performEffects()
    return Int(counters.cancelled - before)
  }

  // MARK: Looking

  /// `lastword.inspect`: what is in a key's lane, the newest task first.
  mutating func inspect(_ bytes: Span<UInt8>, _ envelope: Envelope, from sender: Sender) {
    let target = target(bytes, envelope, keyOnly: true, from: sender)
    guard case .key(let label, let scope) = target else { return }
    let keys = find(label, scope, in: bytes, of: sender.client)
    answerAtLength(envelope, in: bytes, of: sender) { $0.description(of: keys) }
  }

  private func description(of keys: [TaskKey]) -> [UInt8] {
    let limit = GatewayConfiguration.inspectedTasks
    var summaries: [TaskSummary] = []
    var count = 0
    for key in keys {
      summaries += store.newestTasks(in: key, limit: limit)
      count += store.taskCount(in: key)
    }
    if keys.count > 1 { summaries.sort { $0.generation > $1.generation } }
    var result = Array("{\"count\":".utf8)
    result.append(decimal: UInt64(count))
    result.append(contentsOf: ",\"tasks\":[".utf8)
    for (index, summary) in summaries.prefix(limit).enumerated() {
      if index > 0 { result.append(UInt8(ascii: ",")) }
      append(summary, to: &result)
    }
    result.append(contentsOf: "]}".utf8)
    return result
  }

  private func append(_ summary: TaskSummary, to result: inout [UInt8]) {
    let call = calls[summary.task.slot]
    result.append(contentsOf: "{\"generation\":\(summary.generation),\"state\":\"\(summary.state)\"".utf8)
    result.append(contentsOf: ",\"policy\":\"\(summary.policy.wireName)\",\"method\":".utf8)
    payloads.copyFirst(of: summary.task.slot, dividedAt: call.methodBytes, into: &result)
    result.append(contentsOf: ",\"callers\":\(summary.waiterCount)".utf8)
    result.append(contentsOf: ",\"ageMs\":\(call.admitted.age(at: nowMilliseconds))}".utf8)
  }

  /// The lanes that a client means, as far as there are any at the moment: without a scope that of its listener, and its
  /// own, where everything is that goes to upstreams of its own.
  private func find(
    _ label: Label, _ scope: TaskIntent.Scope?, in bytes: Span<UInt8>, of client: Int
  ) -> [TaskKey] {
    var namespaces = [namespace(scope, of: client)]
    let own = clients[client].ownNamespace
    if scope == nil && namespaces[0] != own { namespaces.append(own) }
    return namespaces.compactMap { lane(of: label, readBy: targets.keys, in: bytes, namespace: $0) }
  }
}
