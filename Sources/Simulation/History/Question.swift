package import GatewayCore

/// What an upstream asks or tells by itself; its number names it in a history.
package struct Question: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    case request, notification
    /// It takes a question back that it asked before, in one of the two ways that are known.
    case cancel(of: Int, CancelDialect, isRespelt: Bool)
    /// It gets on with what clients ask in this way.
    case progress(ask: Int, form: UInt8, CancelDialect)
  }

  /// Its params are longer, or nested deeper, than may be; of requests and notifications alone.
  package enum Excess: Int, Hashable, Sendable { case tooLong, tooDeep }

  package var number: Int
  package var kind: Kind
  package var excess: Excess?
  package var form = 0
  /// The number in its id: another's when it uses an id that is taken.
  package var idNumber: Int
  package var idForm = 0

  init(number: Int, _ kind: Kind) {
    self.number = number
    self.kind = kind
    idNumber = number
  }

  func appendID(to bytes: inout [UInt8]) { Spelling.questionIDs[idForm].append(idNumber, to: &bytes) }

  /// - Parameter other: the question that it takes back.
  func appendText(to bytes: inout [UInt8], takingBack other: Question?) {
    bytes.append(#"{"jsonrpc":"2.0","#)
    switch kind {
    case .request:
      bytes.append(#""id":"#)
      appendID(to: &bytes)
      bytes.append(",")
      appendAsk(to: &bytes, hasLineBreaks: true)
    case .notification: appendAsk(to: &bytes, hasLineBreaks: true)
    case .cancel(_, let dialect, let isRespelt):
      bytes.append(Self.opening(dialect))
      let spelling = other.flatMap { isRespelt ? Spelling.otherSpellings[$0.idForm] : nil }
      if let other, let spelling {
        spelling.append(other.idNumber, to: &bytes)
      } else {
        other?.appendID(to: &bytes)
      }
      bytes.append("}}")
    case .progress(let ask, let form, let dialect): appendProgress(ask, form, dialect, to: &bytes)
    }
  }

  private func appendProgress(_ ask: Int, _ form: UInt8, _ dialect: CancelDialect, to bytes: inout [UInt8]) {
    bytes.append(
      dialect == .mcp
        ? #""method":"notifications/progress","params":{"progressToken":"#
        : #""method":"$/progress","params":{"token":"#)
    Spelling.asks[Int(form)].token?.append(ask, to: &bytes)
    bytes.append(#","value":"#)
    bytes.append(digitsOf: number)
    bytes.append("}}")
  }

  /// The question as its client hears it.
  /// - Parameter given: the number that the gateway gave it.
  func relayed(as given: Int, hasLineBreaks: Bool) -> [UInt8] {
    var bytes = Array(#"{"jsonrpc":"2.0","#.utf8)
    if case .cancel(_, let dialect, _) = kind {
      bytes.append(Self.opening(dialect))
      bytes.append(digitsOf: given)
      bytes.append("}}")
      return bytes
    }
    if case .progress(let ask, let form, let dialect) = kind {
      appendProgress(ask, form, dialect, to: &bytes)
      return bytes
    }
    if given > 0 {
      bytes.append(#""id":"#)
      bytes.append(digitsOf: given)
      bytes.append(",")
    }
    appendAsk(to: &bytes, hasLineBreaks: hasLineBreaks)
    return bytes
  }

  private func appendAsk(to bytes: inout [UInt8], hasLineBreaks: Bool) {
    let spelling = (hasLineBreaks ? Spelling.questions : Spelling.flatQuestions)[form]
    bytes.append(#""method":"#)
    spelling.method.append(number, to: &bytes)
    if let excess {
      bytes.append(#","params":"#)
      World.append(excess, to: &bytes)
    } else if form != Spelling.bareQuestion {
      bytes.append(#","params":"#)
      spelling.params.append(number, to: &bytes)
    }
    bytes.append("}")
  }

  private static func opening(_ dialect: CancelDialect) -> String {
    dialect == .mcp
      ? #""method":"notifications/cancelled","params":{"requestId":"#
      : #""method":"$/cancelRequest","params":{"id":"#
  }
}
