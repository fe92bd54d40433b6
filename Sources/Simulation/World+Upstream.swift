import GatewayCore
import JSONRPC

/// What upstream does.
extension World {
  mutating func accept() -> Bool {
    guard upstream.state == .connecting else { return false }
    log.add(1)
    upstream.state = .connected
    network.upstreamIsOpen = true
    network.upstreamIsClogged = false
    network.upstreamRoom = max(network.upstreamRoom, 0)
    core.upstreamConnected(Self.upstreamID)
    oracle.upstreamIsUp()
    return true
  }

  mutating func refuse() -> Bool {
    guard upstream.state == .connecting else { return false }
    return lose()
  }

  mutating func cut() -> Bool {
    guard upstream.state == .connected else { return false }
    return lose()
  }

  private mutating func lose() -> Bool {
    log.add(2)
    isLost()
    core.upstreamDisconnected(Self.upstreamID)
    return true
  }

  private mutating func isLost() {
    oracle.upstreamIsDown(atUpstream: upstream.calls)
    upstream.disconnect()
    network.upstreamIsOpen = false
    network.upstreamIsClogged = false
    network.toUpstream.removeAll(keepingCapacity: true)
  }

  mutating func readUpstream(_ bytes: Int) -> Bool {
    guard upstream.state == .connected, network.upstreamRoom < Action.everything else { return false }
    log.add(bytes)
    network.upstreamRoom += bytes
    guard network.upstreamIsClogged else { return true }
    network.upstreamIsClogged = false
    core.upstreamBecameWritable(Self.upstreamID)
    return true
  }

  // MARK: What it says

  mutating func say(_ answer: Answer, to name: CallName) -> Bool {
    guard upstream.maySay, let call = call(named: name) else { return false }
    let number = oracle.said(answer, to: call.task, ask: abs(name.ask))
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
    upstream.say(line, answer: number)
    return true
  }

  private mutating func append(id: Int, _ kind: Answer.Kind) {
    if kind == .stringID { line.append("\"") }
    line.append(digitsOf: id)
    if kind == .stringID { line.append("\"") }
    if kind == .fractionalID { line.append(".0") }
  }

  /// A call of this connection, answered or not, or one of long ago; answering it properly ends it.
  private func call(named name: CallName) -> SimulatedUpstream.Call? {
    upstream.calls.first { $0.name == name } ?? upstream.past.last { $0.name == name }
  }

  mutating func utter(_ noise: Noise) -> Bool {
    guard upstream.maySay else { return false }
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
    upstream.say(line, answer: 0, endsConnection: noise == .garbage || noise == .tooLong)
    return true
  }

  private static let tooLongBytes = 5_000

  mutating func deliverAnswers(_ limit: Int) -> Bool {
    guard upstream.state == .connected, upstream.unreceived > 0 else { return false }
    var chunk: [UInt8] = []
    swap(&chunk, &self.chunk)
    defer { swap(&chunk, &self.chunk) }
    let count = upstream.take(limitBeforeGarbage(limit), into: &chunk)
    log.add(chunk[..<count])
    for said in upstream.arriving where said.answer > 0 { oracle.willHand(said.answer, &core, clients) }
    core.upstreamReceived(chunk.span, count: count, from: Self.upstreamID)
    while let said = upstream.nextArrived() {
      if said.endsConnection {
        expectsDisconnect = true
        isLost()
        return true
      }
      if said.answer > 0 { arrived(said.answer) }
    }
    return true
  }

  private mutating func arrived(_ number: Int) {
    oracle.handed(number)
    guard oracle.answers[number].endsCall else { return }
    let task = oracle.answers[number].task
    guard let index = upstream.calls.firstIndex(where: { $0.task == task }) else { return }
    upstream.remember(upstream.calls.remove(at: index))
  }

  /// A line over the limit is garbage before its end has come: it comes as a whole, or not at all.
  private func limitBeforeGarbage(_ limit: Int) -> Int {
    guard upstream.nextToArrive < upstream.said.count else { return limit }
    var (place, bytes) = (upstream.nextToArrive, 0)
    while place < upstream.said.count, bytes < limit {
      bytes = upstream.said[place].end - upstream.received
      if upstream.said[place].endsConnection { return max(limit, bytes) }
      place += 1
    }
    return limit
  }
}
