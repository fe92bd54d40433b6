import JSONRPC

/// How a message may come.
extension Message {
  var isHeader: Bool {
    if case .oddity(_, let index) = self { Oddity.all[index].isHeader } else { false }
  }

  var isBlank: Bool {
    if case .oddity(_, let index) = self { Oddity.all[index].isBlank } else { false }
  }

  /// Whether a client of this framing can send it.
  func suits(_ framing: Framing) -> Bool {
    switch self {
    case .request(let request): framing == .contentLength || !Spelling.brokenForms.contains(request.form)
    case .oddity(_, let index): Oddity.all[index].suits(framing)
    case .batch(let items): items.allSatisfy { $0.suits(framing) }
    case .reply(_, let reply): framing == .contentLength || !Spelling.brokenResults.contains(reply.form)
    case .cancelRequest, .cancelled, .cancel, .inspect: true
    }
  }
}

extension Message.Reply {
  /// - Parameter number: under which the client was asked.
  func appendText(to bytes: inout [UInt8], _ number: Int) {
    bytes.append(#"{"jsonrpc":"2.0","id":"#)
    let quote = kind == .stringID ? "\"" : ""
    bytes.append(quote)
    bytes.append(digitsOf: number)
    bytes.append(kind == .fractionalID ? ".0" : quote)
    appendBody(to: &bytes, number, isFlat: false)
  }

  /// What upstream hears of it.
  func relayed(to question: Question, _ number: Int, isFlat: Bool) -> [UInt8] {
    var bytes = Array(#"{"jsonrpc":"2.0","id":"#.utf8)
    question.appendID(to: &bytes)
    appendBody(to: &bytes, number, isFlat: isFlat)
    return bytes
  }

  private func appendBody(to bytes: inout [UInt8], _ number: Int, isFlat: Bool) {
    bytes.append(kind == .error ? #","error":"# : #","result":"#)
    let results = isFlat ? Spelling.flatResults : Spelling.results
    (kind == .error ? Spelling.error : results[form]).append(number, to: &bytes)
    bytes.append("}")
  }
}
