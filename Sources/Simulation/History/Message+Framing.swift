import GatewayCore
import JSONRPC

/// How a message may come.
extension Message {
  var isHeader: Bool {
    if case .malformed(_, let index) = self { MalformedMessage.all[index].isHeader } else { false }
  }

  var isBlank: Bool {
    if case .malformed(_, let index) = self { MalformedMessage.all[index].isBlank } else { false }
  }

  /// Whether a client of this framing can send it.
  func suits(_ framing: Framing, _ kind: ClientKind) -> Bool {
    switch self {
    case .request(let request): framing == .contentLength || !Spelling.brokenForms.contains(request.form)
    case .malformed(_, let index): MalformedMessage.all[index].suits(framing, kind)
    case .batch(let items), .items(let items): items.allSatisfy { $0.suits(framing, kind) }
    case .reply(_, let reply): framing == .contentLength || !Spelling.brokenResults.contains(reply.form)
    case .cancelRequest, .cancelled, .cancel, .inspect, .authenticate: true
    }
  }
}

extension Message.Reply {
  /// - Parameter number: under which the client was asked.
  func appendText(to bytes: inout [UInt8], _ number: Int) {
    bytes.append(kind == .noVersion ? #"{"id":"# : #"{"jsonrpc":"2.0","id":"#)
    switch kind {
    case .nullID: bytes.append("null")
    case .badID: bytes.append("[]")
    default: appendID(to: &bytes, number)
    }
    if kind == .nullResult { bytes.append(#","result":null"#) }
    if kind == .nullError { bytes.append(#","error":null"#) }
    if kind == .both { bytes.append(#","error":{"code":1,"message":"m"}"#) }
    appendBody(to: &bytes, number, isFlat: false)
  }

  private func appendID(to bytes: inout [UInt8], _ number: Int) {
    let quote = kind == .stringID ? "\"" : ""
    bytes.append(quote)
    bytes.append(digitsOf: number)
    bytes.append(kind == .fractionalID ? ".0" : quote)
  }

  private var isError: Bool { kind == .error || kind == .nullResult }

  /// What upstream hears of it.
  func relayed(to question: Question, _ number: Int, isFlat: Bool) -> [UInt8] {
    var bytes = Array(#"{"jsonrpc":"2.0","id":"#.utf8)
    question.appendID(to: &bytes)
    appendBody(to: &bytes, number, isFlat: isFlat)
    return bytes
  }

  private func appendBody(to bytes: inout [UInt8], _ number: Int, isFlat: Bool) {
    bytes.append(isError ? #","error":"# : #","result":"#)
    let results = isFlat ? Spelling.flatResults : Spelling.results
    (isError ? Spelling.error : results[form]).append(number, to: &bytes)
    bytes.append("}")
  }
}
