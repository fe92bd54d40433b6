/// A history as numbered steps for a person to read.
package struct Narration {
  private let steps: [Step]

  private let isOfCluster: Bool

  package init(_ steps: [Step]) {
    self.steps = steps
    isOfCluster = steps.contains { step in
      if case .member = step.action { true } else { step.member > 0 }
    }
  }

  package var lines: [String] {
    steps.enumerated().map { index, step in
      "\(index + 1). \(place(of: step))\(text(of: step.action))\(step.flushesEarly ? ", early writes" : "")"
        + (step.endsTurn ? "" : ", in the same turn as what follows:")
    }
  }

  /// Where there are several members, at which of them.
  private func place(of step: Step) -> String {
    switch step.action {
    case .pass, .passToNextTimer: ""
    default: isOfCluster ? "member \(step.member): " : ""
    }
  }

  private func text(of action: Action) -> String {
    switch action {
    case .connect(let client, let listener, let room, let framing, let user):
      return "client \(client) of user \(user) connects to listener \(listener), \(framing)\(taking(room))"
    case .connectSecurely(let client, let listener, let room, let framing, let user):
      return
        "client \(client) of user \(user) connects to listener \(listener) under TLS, \(framing)\(taking(room))"
    case .cutOff(let client): return "client \(client) sends FIN without TLS's own word"
    case .alter(let client, let place): return "byte \(place) of client \(client) is changed on its way"
    case .changeKeys(let client): return "client \(client) changes its keys"
    case .send(let client, let message): return "client \(client) sends \(text(of: message))"
    case .deliver(let client, let bytes): return "\(text(of: bytes)) of client \(client) arrive"
    case .deliverLate(let client, let bytes):
      return "\(text(of: bytes)) of client \(client) arrive, and have to wait"
    case .goOn: return "the gateway goes on with what it holds"
    case .finish(let client, let isMidMessage):
      return "client \(client) sends \(isMidMessage ? "half a message and " : "")FIN"
    case .reset(let client): return "client \(client) resets its connection"
    case .resetLate(let client): return "client \(client) resets its connection, and that has to wait"
    case .read(let client, let bytes): return "client \(client) reads \(text(of: bytes))"
    case .accept(let link, let room): return "link \(link) is accepted\(taking(room))"
    case .refuse(let link): return "link \(link) is refused"
    case .cut(let link): return "link \(link) is cut"
    case .answer(let link, let name, let answer): return text(of: answer, to: name, of: link)
    case .fail(let link, let name, let failure):
      return "the exchange of \(text(of: name)) over link \(link) fails, \(failure)"
    case .take(let link, let name): return "over link \(link) \(text(of: name)) is delivered"
    case .ask(let link, let question): return text(of: question, of: link)
    case .utter(let link, let noise): return "over link \(link) comes what nobody asked: \(noise)"
    case .deliverAnswers(let link, let bytes): return "\(text(of: bytes)) of link \(link) arrive"
    case .readUpstream(let link, let bytes): return "link \(link) reads \(text(of: bytes))"
    case .pass(let milliseconds): return "\(milliseconds) ms pass"
    case .passToNextTimer: return "time passes up to the next timer"
    case .drain: return "the operator has the gateway drain"
    case .reconfigure(let index): return "the gateway reads configuration \(index)"
    case .evict(let client): return "the operator ends the connection of client \(client)"
    case .shutDown: return "the drain deadline passes"
    case .member(let action): return text(of: action)
    }
  }

  private func text(of action: MemberAction) -> String {
    switch action {
    case .open(let link, let other, let delay): "opens peer link \(link) to member \(other), \(delay) ms away"
    case .probe(let link, let bytes): "sends a frame of \(bytes) bytes over peer link \(link)"
    case .receive(let link, let events): "up to \(events) that are due arrive over peer link \(link)"
    case .cut(let link, let arriving): "peer link \(link) is cut, and \(arriving) each way still arrive"
    case .delay(let link, let milliseconds): "peer link \(link) takes \(milliseconds) ms from now on"
    case .stop: "its process stops"
    case .resume: "its process goes on"
    case .kill(let arriving): "its process is killed, and \(arriving) of each peer link still arrive"
    case .start: "its process starts again"
    }
  }

  private func text(of bytes: Int) -> String { bytes >= Action.everything ? "all bytes" : "\(bytes) bytes" }

  private func taking(_ room: Int) -> String {
    room >= Action.everything ? "" : ", and takes \(room) bytes"
  }

  private func text(of name: CallName) -> String {
    "ask \(name.ask)" + (name.occurrence > 1 ? ", the \(name.occurrence)th call that asks it" : "")
  }

  private func text(of answer: Answer, to name: CallName, of link: Int) -> String {
    "over link \(link) comes the answer to \(text(of: name)): \(answer.kind)"
  }

  private func text(of question: Question, of link: Int) -> String {
    switch question.kind {
    case .request:
      return "upstream asks question \(question.number) over link \(link), id of \(question.idNumber)"
    case .notification: return "upstream tells \(question.number) over link \(link)"
    case .cancel(let other, let dialect, _):
      return "upstream takes question \(other) back over link \(link), as \(dialect) has it"
    case .progress(let ask, _, let dialect):
      return "upstream gets on with ask \(ask) over link \(link), as \(dialect) has it"
    }
  }

  private func text(of message: Message) -> String {
    switch message {
    case .request(let request):
      return "\(request.isNotification ? "notification" : "request") \(request.number): \(line(of: message))"
    case .cancelRequest(let number, let isRespelt):
      return "$/cancelRequest of \(number)\(isRespelt ? ", its id spelt otherwise" : "")"
    case .cancelled(let number, let other, let isRespelt):
      return "notifications/cancelled \(number) of \(other)\(isRespelt ? ", its id spelt otherwise" : "")"
    case .reply(let number, let reply):
      return "the answer to question \(number) as it was asked: \(reply.kind)"
    case .cancel(let number, .id(let other)): return "request \(number): lastword.cancel of \(other)"
    case .batch(let items), .items(let items):
      return "a batch: " + items.map { text(of: $0) }.joined(separator: ", ")
    case .cancel, .inspect, .authenticate: return line(of: message)
    case .malformed(let number, let index): return "message \(number): \(MalformedMessage.all[index].name)"
    }
  }

  private func line(of message: Message) -> String {
    var line: [UInt8] = []
    _ = message.appendLine(to: &line, [])
    return String(decoding: line.dropLast(), as: UTF8.self)
  }
}
