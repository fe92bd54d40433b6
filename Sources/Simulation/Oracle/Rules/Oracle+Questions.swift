import GatewayCore
import JSONRPC

/// Questions that upstreams ask, and the answers that they hear.
extension Oracle {
  /// Upstream has this on its way.
  mutating func said(_ question: Question, by link: Int) {
    while questions.count <= question.number { questions.append(QuestionView()) }
    questions[question.number].question = question
    questions[question.number].link = link
  }

  /// It has arrived as a whole.
  mutating func handed(
    question number: Int, at link: Int, _ core: inout GatewayCore, _ clients: ClientTable
  ) {
    event += 1
    let upstream = upstreams[numbering.upstream(of: link)]
    if let excess = questions[number].question.excess {
      coverage.count(.beyondBound)
      return refuse(number, excess == .tooLong ? RPCError.tooLarge : .parseError, at: link)
    }
    guard upstream.isPrivate else { return refuse(number, RPCError.methodNotFound, at: link) }
    switch questions[number].question.kind {
    case .request:
      guard links[link].openQuestions.count < configuration.upstreamRequests else {
        return refuse(number, RPCError.overloaded, at: link)
      }
      self.clients[upstream.client].asked.append(number)
      questions[number].given = self.clients[upstream.client].asked.count
      questions[number].isOpen = true
      links[link].openQuestions.append(number)
      expectRelay(of: number, as: questions[number].given, to: upstream.client, from: link)
    case .notification: expectRelay(of: number, as: 0, to: upstream.client, from: link)
    case .progress(let ask, _, _):
      let isSure = isSurelyHeard(progressOf: ask, by: upstream.client, &core, clients)
      expectRelay(of: number, as: 0, to: upstream.client, from: link, isSure: isSure)
      gotOn(with: ask, for: upstream.client, at: link)
    case .cancel(let other, let dialect, _):
      // One that is over has no number any more by which its client could know it.
      guard let open = newestOpen(like: other, at: link) else {
        return coverage.count(.cancelOfNothing)
      }
      expectRelay(of: number, as: questions[open].given, to: upstream.client, from: link)
      // Its client does not answer it any more.
      if dialect == .mcp { close(question: open, of: link) }
    }
  }

  private mutating func close(question number: Int, of link: Int) {
    questions[number].isOpen = false
    links[link].openQuestions.removeAll { $0 == number }
  }

  /// Nobody in particular is asked, or too much is: upstream hears that.
  private mutating func refuse(_ number: Int, _ error: RPCError, at link: Int) {
    guard case .request = questions[number].question.kind else { return }
    guard links[link].endedMilliseconds == .max else { return }
    // Without room for it the answer is lost.
    if upstreams[numbering.upstream(of: link)].outputHardBytes < World.tightBytes {
      return links[link].mayLack = true
    }
    var text = Array(#"{"jsonrpc":"2.0","id":"#.utf8)
    questions[number].question.appendID(to: &text)
    text.append(#","error":{"code":-"#)
    text.append(digitsOf: -error.code)
    text.append(",")
    if error == .methodNotFound { coverage.count(.nobodyAsked) }
    if error == .overloaded { coverage.count(.refusedQuestion) }
    links[link].dues.add(text, isWhole: false, at: event)
  }

  /// The newest of the questions with this id whose answer is awaited.
  private func newestOpen(like other: Int, at link: Int) -> Int? {
    let question = questions[other].question
    return links[link].openQuestions.last {
      let own = questions[$0].question
      return own.idNumber == question.idNumber && own.idForm == question.idForm
    }
  }

  private mutating func expectRelay(
    of number: Int, as given: Int, to client: Int, from link: Int, isSure: Bool = true
  ) {
    let hasLineBreaks = clients[client].framing == .contentLength
    let text = questions[number].question.relayed(as: given, hasLineBreaks: hasLineBreaks)
    links[link].relays.add(text, isSure: isSure, number: number, at: event)
  }

  mutating func closeQuestions(of link: Int) {
    for number in links[link].openQuestions { questions[number].isOpen = false }
    links[link].openQuestions.removeAll()
  }

  // MARK: Clients

  /// A client hears a line that is no reply: its own upstream must have said it, and all earlier lines must have come.
  mutating func heardRelay(_ text: ArraySlice<UInt8>, by client: Int) {
    if let piece = GivenPiece(text) { return heard(piece, by: client) }
    if let aside = Aside(text) { return heard(aside, by: client) }
    if let number = Report.number(in: text) { return heardReport(number, text, by: client) }
    for upstream in numbering.upstreams(of: client) {
      let link = upstreams[upstream].links.lowerBound
      guard let event = links[link].relays.take(text) else { continue }
      links[link].lastRelay = event
      checkProgress(links[link].relays.lastNumber, heardBy: client, from: link)
      if links[link].endedMilliseconds < .max { coverage.count(.heardLastWords) }
      return coverage.count(.relayed)
    }
    complain("client \(client) got what nobody said, or not in its order: \(self.text(text))")
  }

  /// An upstream's answer comes behind all that the upstream said before it, and before all that it said afterwards.
  func checkOrder(of answer: AnswerView) {
    let task = tasks[answer.task]
    guard task.link >= 0, upstreams[task.upstream].isPrivate else { return }
    let link = links[task.link]
    expect(answer.handed < link.relays.firstEvent ?? .max, "an answer overtook what upstream said before it")
    expect(answer.handed > link.lastRelay, "what upstream said overtook an answer that came before")
  }

  /// A client answers what it was asked under this number.
  mutating func replied(_ reply: Message.Reply, to given: Int, from client: Int) {
    switch reply.kind {
    case .stringID, .fractionalID: return
    case .nullID, .badID: return refuseAll(askedOf: client)
    case .result, .error, .nullError, .nullResult, .both, .noVersion: break
    }
    let asked = clients[client].asked
    guard given > 0, given <= asked.count, questions[asked[given - 1]].isOpen else { return }
    let number = asked[given - 1]
    let link = questions[number].link
    close(question: number, of: link)
    if reply.kind == .both || reply.kind == .noVersion { return refuse(answerTo: number, at: link) }
    let isFlat = upstreams[numbering.upstream(of: link)].framing == .lines
    links[link].dues.add(reply.relayed(to: questions[number].question, given, isFlat: isFlat), at: event)
    coverage.count(.answeredQuestion)
  }

  /// A client's answer names no question: each upstream that has asked this client hears of it.
  private mutating func refuseAll(askedOf client: Int) {
    for upstream in numbering.upstreams(of: client) {
      let link = upstreams[upstream].links.lowerBound
      for number in links[link].openQuestions {
        close(question: number, of: link)
        refuse(answerTo: number, at: link)
      }
    }
  }

  /// No right answer: upstream hears that there is none.
  private mutating func refuse(answerTo number: Int, at link: Int) {
    var text = Array(#"{"jsonrpc":"2.0","id":"#.utf8)
    questions[number].question.appendID(to: &text)
    text.append(#","error":{"code":-32603,"#)
    coverage.count(.badAnswer)
    links[link].dues.add(text, isWhole: false, at: event)
  }

  /// Everything that its upstreams said has reached a client that is still there.
  func expectAllRelayed(to client: Int) {
    expect(
      clients[client].asidesDue.isEmpty,
      "client \(client) never heard the asides \(clients[client].asidesDue)")
    for upstream in numbering.upstreams(of: client) {
      let link = links[upstreams[upstream].links.lowerBound]
      expect(link.relays.isEmpty, "client \(client) never heard \(text(link.relays.first[...]))")
    }
  }

  // MARK: Upstreams

  /// An upstream hears an answer: it must be the next that it is owed.
  mutating func sawAnswer(_ text: ArraySlice<UInt8>, at link: Int) {
    let owed = links[link].dues.first
    // To a client that was closed in this turn, for it reads nothing, nothing more is passed on.
    let isOverBound = !links[link].isUp && bounds.mayCloseUnread
    let isDue = links[link].dues.take(text, mayLack: isOverBound) != nil
    guard !isDue, !links[link].mayLack else { return }
    complain(
      "link \(link) got an answer that it is not owed: \(self.text(text)), not \(self.text(owed[...]))")
  }

  func expectAllAnswered(link: Int) {
    let dues = links[link].dues
    expect(dues.isEmpty, "link \(link) never heard \(text(dues.first[...]))")
  }

  // MARK: Taking back

  /// A client takes a request back as the Model Context Protocol has it, whatever its upstream speaks.
  mutating func received(cancelOf other: Int, _ number: Int, from client: Int) {
    coverage.count(.takenBackByMCP)
    isCancelSure = !mayRefuseCancel(of: client)
    countCancel(of: client)
    takeBack(other, from: client)
  }
}
