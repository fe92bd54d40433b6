/// A history as numbered steps for a person to read.
package struct Narration {
  private let steps: [Step]

  package init(_ steps: [Step]) { self.steps = steps }

  package var lines: [String] {
    steps.enumerated().map { index, step in
      "\(index + 1). \(text(of: step.action))\(step.endsTurn ? "" : ", in the same turn as what follows:")"
    }
  }

  private func text(of action: Action) -> String {
    switch action {
    case .connect(let client, let listener, let room, let framing):
      let taking = room >= Action.everything ? "" : ", and takes \(room) bytes"
      return "client \(client) connects to listener \(listener), \(framing)\(taking)"
    case .send(let client, let message): return "client \(client) sends \(text(of: message))"
    case .deliver(let client, let bytes): return "\(text(of: bytes)) of client \(client) arrive"
    case .finish(let client): return "client \(client) sends FIN"
    case .reset(let client): return "client \(client) resets its connection"
    case .read(let client, let bytes): return "client \(client) reads \(text(of: bytes))"
    case .accept(let upstream): return "upstream \(upstream) accepts"
    case .refuse(let upstream): return "upstream \(upstream) refuses"
    case .cut(let upstream): return "the connection of upstream \(upstream) is cut"
    case .answer(let upstream, let name, let answer): return text(of: answer, to: name, of: upstream)
    case .utter(let upstream, let noise): return "upstream \(upstream) says what nobody asked: \(noise)"
    case .deliverAnswers(let upstream, let bytes): return "\(text(of: bytes)) of upstream \(upstream) arrive"
    case .readUpstream(let upstream, let bytes): return "upstream \(upstream) reads \(text(of: bytes))"
    case .pass(let milliseconds): return "\(milliseconds) ms pass"
    case .passToNextTimer: return "time passes up to the next timer"
    case .drain: return "the operator has the gateway drain"
    case .reconfigure(let index): return "the gateway reads configuration \(index)"
    case .shutDown: return "the drain deadline passes"
    }
  }

  private func text(of bytes: Int) -> String { bytes >= Action.everything ? "all bytes" : "\(bytes) bytes" }

  private func text(of answer: Answer, to name: CallName, of upstream: Int) -> String {
    let again = name.occurrence > 1 ? ", the \(name.occurrence)th call that asks it" : ""
    return "upstream \(upstream) answers ask \(name.ask)\(again): \(answer.kind)"
  }

  private func text(of message: Message) -> String {
    switch message {
    case .request(let request):
      return "\(request.isNotification ? "notification" : "request") \(request.number): \(line(of: message))"
    case .cancelRequest(let number, let isRespelt):
      return "$/cancelRequest of \(number)\(isRespelt ? ", its id spelt otherwise" : "")"
    case .cancel(let number, .id(let other)): return "request \(number): lastword.cancel of \(other)"
    case .batch(let items): return "a batch: " + items.map { text(of: $0) }.joined(separator: ", ")
    case .cancel, .inspect: return line(of: message)
    case .oddity(let number, let index): return "message \(number): \(Oddity.all[index].name)"
    }
  }

  private func line(of message: Message) -> String {
    var line: [UInt8] = []
    _ = message.appendLine(to: &line, [])
    return String(decoding: line.dropLast(), as: UTF8.self)
  }
}
