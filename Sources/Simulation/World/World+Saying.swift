import GatewayCore
import JSONRPC
import TaskStore

/// What upstreams say.
extension World {
  // MARK: Answers

  mutating func say(_ answer: Answer, to name: CallName, from link: Int) -> Bool {
    guard isOpen(link: link) else { return false }
    let takesExchanges = upstream(of: link).takesExchanges
    guard takesExchanges || links[link].maySay, takesExchanges || answer.kind != .nonsense else {
      return false
    }
    guard
      takesExchanges || !Spelling.brokenResults.contains(answer.form) || upstream(of: link).framing != .lines
    else { return false }
    let isReadWhole = answer.kind == .both || answer.kind == .tooDeep
    guard !isReadWhole || !upstream(of: link).isTrusted else { return false }
    guard answer.kind != .tooLong || !takesExchanges else { return false }
    guard let call = call(named: name, at: link, isExchange: takesExchanges) else { return false }
    let number = oracle.said(answer, to: call.task, ask: abs(name.ask), by: link)
    if number % 3 > 0 { speak(before: number, of: call, from: link) }
    // Of some answers a piece is all that comes for now.
    if number % 6 == 1, oracle.takesPieces(answer: number) { return true }
    write(answer, number, id: call.id)
    if takesExchanges { return hand(number, to: call, at: link) }
    links[link].say(
      line, .answer(number), as: upstream(of: link).framing, isTooLong: answer.kind == .tooLong)
    return true
  }

  /// What comes before an answer: some of it, how far upstream is, or something else.
  private mutating func speak(before number: Int, of call: SimulatedLink.Call, from link: Int) {
    if oracle.takesPieces(answer: number) {
      givePiece(number, of: call, from: link)
    } else if relaysAsides(link) {
      let aside = Aside.text(number, id: number.isMultiple(of: 2) ? call.id : nil)
      exchangeSays(aside, before: number, of: call, at: link)
    } else if upstream(of: link).namesSubscriptions {
      tellSubscriber(number, of: call, from: link)
    } else {
      report(number, of: call, from: link)
    }
  }

  /// An upstream that clients share says how far it is, if the call has a token for that.
  private mutating func report(_ number: Int, of call: SimulatedLink.Call, from link: Int) {
    guard upstream(of: link).passesProgress, let framing = upstream(of: link).framing, call.name.ask >= 0,
      let letter = Spelling.asks[Int(oracle.asks[call.name.ask].form)].passed?.letter
    else { return }
    let text = Report.text(number, token: Array("\"\(call.id)\(letter)\"".utf8))
    links[link].say(text, .report(number), as: framing)
  }

  /// An upstream of a client's own names the request that it says something for.
  private mutating func tellSubscriber(_ number: Int, of call: SimulatedLink.Call, from link: Int) {
    guard let framing = upstream(of: link).framing, call.name.ask >= 0, !call.isNotification else { return }
    links[link].say(Aside.text(number, id: call.id), .aside(number), as: framing)
  }

  /// Some of the answer that follows, to a request that takes it in pieces.
  private mutating func givePiece(_ number: Int, of call: SimulatedLink.Call, from link: Int) {
    if let framing = upstream(of: link).framing {
      return links[link].say(GivenPiece.text(number, id: call.id), .piece(number), as: framing)
    }
    // An exchange may name another's request, and speaks of its own only.
    let others = links[link].calls.filter { $0.task != call.task && !$0.isNotification }
    let named = number.isMultiple(of: 4) ? others.first ?? call : call
    let piece = GivenPiece.text(number, id: named.id)
    exchangeSays(piece, before: named.task == call.task ? number : nil, of: call, at: link)
  }

  private mutating func write(_ answer: Answer, _ number: Int, id: Int) {
    line.removeAll(keepingCapacity: true)
    guard answer.kind != .nonsense else {
      return line.append(Self.nonsense[answer.form % Self.nonsense.count])
    }
    line.append(#"{"jsonrpc":"2.0","id":"#)
    append(id: id, answer.kind)
    if answer.kind != .error && answer.kind != .nullID {
      line.append(#","result":"#)
      appendResult(answer, number)
    }
    if answer.kind == .error || answer.kind == .both || answer.kind == .nullID {
      line.append(#","error":"#)
      Spelling.error.append(number, to: &line)
    }
    line.append("}")
  }

  private mutating func appendResult(_ answer: Answer, _ number: Int) {
    let (count, opening, closing): (Int, UInt8, UInt8)
    switch answer.kind {
    case .tooLong: (count, opening, closing) = (Self.tooLongBytes, UInt8(ascii: " "), UInt8(ascii: " "))
    case .tooDeep:
      (count, opening, closing) = (WireLimits.nestingLevels, UInt8(ascii: "["), UInt8(ascii: "]"))
    default: (count, opening, closing) = (0, 0, 0)
    }
    line.append(contentsOf: repeatElement(opening, count: count))
    Spelling.results[answer.form].append(number, to: &line)
    line.append(contentsOf: repeatElement(closing, count: count))
  }

  /// What may come instead of an answer.
  private static let nonsense = [
    "", "<html>no</html>", "[]", #"{"jsonrpc":"2.0","method":"m"}"#,
    #"{"jsonrpc":"2.0","id":2147483647,"result":0}"#, #"{"jsonrpc":"2.0","id":null,"result":0}"#,
  ]

  private mutating func append(id: Int, _ kind: Answer.Kind) {
    guard kind != .nullID else { return line.append("null") }
    if kind == .stringID { line.append("\"") }
    line.append(digitsOf: id)
    if kind == .stringID { line.append("\"") }
    if kind == .fractionalID { line.append(".0") }
  }

  /// A call of this connection, answered or not, or one of long ago, or another's. Only what has not ended can be
  /// the answer to an exchange.
  private func call(named name: CallName, at link: Int, isExchange: Bool) -> SimulatedLink.Call? {
    if isExchange { return links[link].calls.first { $0.name == name && !$0.isNotification } }
    if let call = links[link].call(named: name) { return call }
    for other in openLinks {
      if let call = links[other].call(named: name) { return call }
    }
    return nil
  }

  // MARK: Exchanges

  /// The answer to an exchange comes as a whole.
  private mutating func hand(_ number: Int, to call: SimulatedLink.Call, at link: Int) -> Bool {
    log.add(line[...])
    let text = line + [UInt8](repeating: 0xff, count: Self.slackBytes)
    oracle.willHand(number, of: 1, &core, clients)
    measures.bytesFromUpstreams += UInt64(line.count)
    core.exchangeAnswered(
      call.taskID, text.span, count: line.count, over: UpstreamID(slot: links[link].slot))
    oracle.handed(number)
    endExchange(call, wasKnown: oracle.answers[number].isSurelyKnown, at: link)
    return true
  }

  private func relaysAsides(_ link: Int) -> Bool {
    let upstream = oracle.numbering.upstream(of: link)
    let options = oracle.configuration.upstreams
    return options.indices.contains(upstream) && options[upstream].relaysNotifications
  }

  /// An exchange says something before its answer.
  /// - Parameter number: the number of that answer; nil: the message is for nobody.
  private mutating func exchangeSays(
    _ aside: [UInt8], before number: Int?, of call: SimulatedLink.Call, at link: Int
  ) {
    log.add(aside[...])
    let text = aside + [UInt8](repeating: 0xff, count: Self.slackBytes)
    let sure = number.map { oracle.willSayAside($0, of: call.task, &core, clients) }
    measures.bytesFromUpstreams += UInt64(aside.count)
    core.exchangeGave(
      call.taskID, text.span, count: aside.count, over: UpstreamID(slot: links[link].slot))
    if let number, let sure { oracle.gave(besides: number, to: sure) }
  }

  mutating func fail(_ name: CallName, _ failure: ExchangeFailure, at link: Int) -> Bool {
    guard isOpen(link: link), let call = exchange(named: name, at: link) else { return false }
    log.add(call.id)
    let isKnown = oracle.isSurelyKnown(call.task) || oracle.isOpen(call.task, &core, clients)
    let lost = core.counters.notificationsLost
    core.exchangeFailed(call.taskID, failure, over: UpstreamID(slot: links[link].slot))
    expectLosses(core.counters.notificationsLost - lost, of: call, isKnown: isKnown)
    oracle.failed(call.task, failure, isSurelyKnown: isKnown)
    endExchange(call, wasKnown: isKnown, at: link)
    return true
  }

  /// A wanted notification is lost once; nothing else is.
  private func expectLosses(_ count: UInt64, of call: SimulatedLink.Call, isKnown: Bool) {
    let own: UInt64 = call.isNotification ? 1 : 0
    let fewest = isKnown ? own : 0
    let most = mayLoseOthers ? .max : own
    oracle.expect(
      (fewest...most).contains(count), "exchange \(call.id) failed, and \(count) losses are counted")
  }

  /// A task that waits for an exchange may be for a client's own upstream that is gone.
  private var mayLoseOthers: Bool { oracle.numbering.hasPrivate }

  /// A notification has arrived.
  mutating func take(_ name: CallName, at link: Int) -> Bool {
    guard isOpen(link: link), let call = exchange(named: name, at: link), call.isNotification else {
      return false
    }
    log.add(call.id)
    let isKnown = oracle.isSurelyKnown(call.task)
    let lost = core.counters.notificationsLost
    core.exchangeDelivered(call.taskID, over: UpstreamID(slot: links[link].slot))
    oracle.expect(
      core.counters.notificationsLost == lost || mayLoseOthers,
      "exchange \(call.id) arrived, and counts as lost")
    oracle.delivered(call.task)
    endExchange(call, wasKnown: isKnown, at: link)
    return true
  }

  private func exchange(named name: CallName, at link: Int) -> SimulatedLink.Call? {
    guard upstream(of: link).takesExchanges else { return nil }
    return links[link].calls.first { $0.name == name }
  }

  private mutating func endExchange(_ call: SimulatedLink.Call, wasKnown: Bool, at link: Int) {
    links[link].end(call.task)
    if !wasKnown { links[link].endedInTurn.append(call) }
  }

  // MARK: What nobody asked

  mutating func ask(_ question: Question, from link: Int) -> Bool {
    guard isOpen(link: link), links[link].maySay, let framing = upstream(of: link).framing else {
      return false
    }
    if framing == .lines && Spelling.brokenQuestions.contains(question.form) { return false }
    var other: Question?
    if case .cancel(let number, _, _) = question.kind {
      guard number < oracle.questions.count, oracle.questions[number].link == link else { return false }
      other = oracle.questions[number].question
      guard case .request = other?.kind else { return false }
    }
    // In a shorter history nobody may have asked what it gets on with.
    if case .progress(let ask, _, _) = question.kind, ask >= oracle.asks.count { return false }
    line.removeAll(keepingCapacity: true)
    question.appendText(to: &line, takingBack: other)
    oracle.said(question, by: link)
    links[link].say(
      line, .question(question.number), as: framing, isTooLong: question.excess == .tooLong)
    return true
  }

  static func append(_ excess: Question.Excess, to bytes: inout [UInt8]) {
    let isLong = excess == .tooLong
    let count = isLong ? tooLongBytes : WireLimits.nestingLevels
    bytes.append("[")
    bytes.append(contentsOf: repeatElement(UInt8(ascii: isLong ? " " : "["), count: count))
    if !isLong { bytes.append(contentsOf: repeatElement(UInt8(ascii: "]"), count: count)) }
    bytes.append("]")
  }

  mutating func utter(_ noise: Noise, from link: Int) -> Bool {
    guard isOpen(link: link), links[link].maySay, let framing = upstream(of: link).framing else {
      return false
    }
    line.removeAll(keepingCapacity: true)
    switch noise {
    case .unknownID: line.append(#"{"jsonrpc":"2.0","id":2147483647,"result":0}"#)
    case .hugeID: line.append(#"{"jsonrpc":"2.0","id":4294967297,"result":0}"#)
    case .nullID: line.append(#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}}"#)
    case .batch: line.append("[]")
    case .brokenJSON: line.append("{ no JSON }")
    case .longMessage:
      line.append("{")
      line.append(contentsOf: repeatElement(UInt8(ascii: " "), count: Self.tooLongBytes))
      line.append("}")
    case .garbage: line.append("Traceback (most recent call last):")
    case .longLine: line.append(contentsOf: repeatElement(UInt8(ascii: "x"), count: Self.tooLongBytes))
    }
    let isUnbearable = noise.isUnbearable(isTolerant: upstream(of: link).toleratesNoise)
    links[link].say(line, .noise(endsConnection: isUnbearable), as: noise.isMessage ? framing : nil)
    return true
  }

  private static let tooLongBytes = 5_000
}

extension Noise {
  /// It is framed like a message.
  fileprivate var isMessage: Bool { self != .garbage && self != .longLine }

  fileprivate func isUnbearable(isTolerant: Bool) -> Bool {
    switch self {
    case .unknownID, .hugeID, .nullID, .batch: false
    case .longMessage: true
    case .brokenJSON, .garbage, .longLine: !isTolerant
    }
  }
}

extension SimulatedLink.Call {
  fileprivate var taskID: TaskID { TaskID(rawValue: UInt64(id)) }
}
