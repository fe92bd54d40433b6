import GatewayCore
import JSONRPC

/// What upstreams do.
extension World {
  mutating func accept(_ index: Int) -> Bool {
    guard upstreams[index].state == .connecting else { return false }
    log.add(index)
    upstreams[index].state = .connected
    network.pipes[index].isOpen = true
    network.pipes[index].isClogged = false
    core.upstreamConnected(UpstreamID(slot: index))
    oracle.upstreamIsUp(index)
    return true
  }

  mutating func refuse(_ index: Int) -> Bool {
    guard upstreams[index].state == .connecting else { return false }
    return lose(index)
  }

  mutating func cut(_ index: Int) -> Bool {
    guard upstreams[index].state == .connected else { return false }
    return lose(index)
  }

  private mutating func lose(_ index: Int) -> Bool {
    log.add(index)
    isLost(index)
    core.upstreamDisconnected(UpstreamID(slot: index))
    return true
  }

  /// Time has passed: attempts to connect that took too long are given up.
  mutating func giveUpAttempts() {
    for index in upstreams.indices where upstreams[index].state == .connecting {
      guard nowMilliseconds >= upstreams[index].attemptEndsMilliseconds else { continue }
      upstreams[index].isToBeDisconnected = true
      oracle.coverage.count(.givenUpAttempt)
      isLost(index)
    }
  }

  private mutating func isLost(_ index: Int) {
    oracle.upstreamIsDown(index, calls: upstreams[index].calls)
    upstreams[index].disconnect()
    network.pipes[index].isOpen = false
    network.pipes[index].isClogged = false
    network.pipes[index].bytes.removeAll(keepingCapacity: true)
  }

  mutating func readUpstream(_ bytes: Int, by index: Int) -> Bool {
    guard upstreams[index].state == .connected, network.pipes[index].room < Action.everything else {
      return false
    }
    log.add(bytes)
    network.pipes[index].room += bytes
    guard network.pipes[index].isClogged else { return true }
    network.pipes[index].isClogged = false
    core.upstreamBecameWritable(UpstreamID(slot: index))
    return true
  }

  // MARK: What it says

  mutating func say(_ answer: Answer, to name: CallName, from index: Int) -> Bool {
    guard upstreams[index].maySay, let call = call(named: name, at: index) else { return false }
    let number = oracle.said(answer, to: call.task, ask: abs(name.ask), by: index)
    line.removeAll(keepingCapacity: true)
    line.append(#"{"jsonrpc":"2.0","id":"#)
    append(id: call.id, answer.kind)
    if answer.kind != .error {
      line.append(#","result":"#)
      Spelling.results[answer.form].append(number, to: &line)
    }
    if answer.kind == .error || answer.kind == .both {
      line.append(#","error":"#)
      Spelling.error.append(number, to: &line)
    }
    line.append("}\n")
    upstreams[index].say(line, answer: number)
    return true
  }

  private mutating func append(id: Int, _ kind: Answer.Kind) {
    if kind == .stringID { line.append("\"") }
    line.append(digitsOf: id)
    if kind == .stringID { line.append("\"") }
    if kind == .fractionalID { line.append(".0") }
  }

  /// A call of this connection, answered or not, or one of long ago, or another upstream's.
  private func call(named name: CallName, at index: Int) -> SimulatedUpstream.Call? {
    for offset in upstreams.indices {
      let other = (index + offset) % upstreams.count
      if let call = upstreams[other].call(named: name) { return call }
    }
    return nil
  }

  mutating func utter(_ noise: Noise, from index: Int) -> Bool {
    guard upstreams[index].maySay else { return false }
    line.removeAll(keepingCapacity: true)
    switch noise {
    case .notification: line.append(#"{"jsonrpc":"2.0","method":"log","params":{"a":1}}"#)
    case .unknownID: line.append(#"{"jsonrpc":"2.0","id":2147483647,"result":0}"#)
    case .hugeID: line.append(#"{"jsonrpc":"2.0","id":4294967297,"result":0}"#)
    case .nullID: line.append(#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}}"#)
    case .batch: line.append("[]")
    case .garbage: line.append("Traceback (most recent call last):")
    case .tooLong: line.append(contentsOf: repeatElement(UInt8(ascii: "x"), count: Self.tooLongBytes))
    }
    line.append("\n")
    upstreams[index].say(line, answer: 0, endsConnection: noise == .garbage || noise == .tooLong)
    return true
  }

  private static let tooLongBytes = 5_000

  mutating func deliverAnswers(_ limit: Int, from index: Int) -> Bool {
    guard upstreams[index].state == .connected, upstreams[index].unreceived > 0 else { return false }
    var chunk: [UInt8] = []
    swap(&chunk, &self.chunk)
    defer { swap(&chunk, &self.chunk) }
    let count = upstreams[index].take(upstreams[index].limitBeforeGarbage(limit), into: &chunk)
    log.add(chunk[..<count])
    for said in upstreams[index].arriving where said.answer > 0 {
      oracle.willHand(said.answer, &core, clients)
    }
    core.upstreamReceived(chunk.span, count: count, from: UpstreamID(slot: index))
    while let said = upstreams[index].nextArrived() {
      if said.endsConnection {
        upstreams[index].isToBeDisconnected = true
        isLost(index)
        return true
      }
      if said.answer > 0 { arrived(said.answer, from: index) }
    }
    return true
  }

  private mutating func arrived(_ number: Int, from index: Int) {
    oracle.handed(number)
    guard oracle.answers[number].endsCall else { return }
    let task = oracle.answers[number].task
    guard let call = upstreams[index].calls.firstIndex(where: { $0.task == task }) else { return }
    upstreams[index].remember(upstreams[index].calls.remove(at: call))
  }
}
