package import GatewayCore

/// What a client sends.
package enum Message: Hashable, Sendable {
  case request(Request)
  /// `$/cancelRequest` of the request with this number.
  case cancelRequest(of: Int, isRespelt: Bool)
  /// `notifications/cancelled` of the request with this number, itself a notification with a number.
  case cancelled(number: Int, of: Int, isRespelt: Bool)
  /// An answer to what the client was asked under this number.
  case reply(to: Int, Reply)
  /// `lastword.cancel`, itself a request with a number.
  case cancel(number: Int, Target)
  /// `lastword.inspect`.
  case inspect(number: Int, Label)
  /// `lastword.authenticate`, with one of the tokens there are.
  case authenticate(number: Int, token: Int)
  /// One of `MalformedMessage.all`.
  case malformed(number: Int, index: Int)
  /// Several in one array.
  case batch([Message])
  /// Some of them, as far as the gateway has come: never sent.
  case items([Message])

  /// What is to be cancelled.
  package enum Target: Hashable, Sendable {
    case id(of: Int)
    case key(Label)
    case group(Int, isOfPrincipal: Bool)
  }

  /// How a client answers.
  package struct Reply: Hashable, Sendable {
    package enum Kind: Hashable, Sendable, CaseIterable {
      case result, error
      /// A good answer, but its id is spelt so that it is another.
      case stringID, fractionalID
      /// Both members, one of them null: a result, and an error.
      case nullError, nullResult
      /// No right answer: both members, or no version.
      case both, noVersion
      /// One that does not say to what: its id is null, or none.
      case nullID, badID
    }

    package var kind: Kind
    package var form: Int
  }

  /// A key and its scope, as they are said.
  package struct Label: Hashable, Sendable {
    package var key: Int8
    /// Nil: not said.
    package var scope: ListenerOptions.Scope?

    func appendMembers(to bytes: inout [UInt8]) {
      bytes.append(#""key":"#)
      bytes.append(Spelling.keys[Int(key)].escaped)
      if let scope { bytes.append(#","scope":"\#(scope)""#) }
    }
  }
}

extension Message {
  /// How many messages it is.
  var itemCount: Int {
    switch self {
    case .batch(let items), .items(let items): items.count
    default: 1
    }
  }

  /// Appends the message as a line; false when it is about a request that never was.
  /// - Parameter records: of what was sent, by its number.
  func appendLine(to bytes: inout [UInt8], _ records: [RecordView]) -> Bool {
    switch self {
    case .request(let request): request.appendLine(to: &bytes)
    case .malformed(let number, let index): MalformedMessage.all[index].line.append(number, to: &bytes)
    case .cancelRequest(let number, let isRespelt):
      guard let request = Self.request(number, records) else { return false }
      bytes.append(#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":"#)
      request.appendID(to: &bytes, isRespelt: isRespelt)
      bytes.append("}}\n")
    case .cancelled(let number, let other, let isRespelt):
      guard let request = Self.request(other, records) else { return false }
      bytes.append(#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"reason":"r"#)
      bytes.append(digitsOf: number)
      bytes.append(#"","requestId":"#)
      request.appendID(to: &bytes, isRespelt: isRespelt)
      bytes.append("}}\n")
    case .reply(let number, let reply):
      reply.appendText(to: &bytes, number)
      bytes.append("\n")
    case .cancel(let number, let target):
      appendOpening("cancel", number, to: &bytes)
      guard appendMember(target, to: &bytes, records) else { return false }
      bytes.append("}}\n")
    case .inspect(let number, let label):
      appendOpening("inspect", number, to: &bytes)
      label.appendMembers(to: &bytes)
      bytes.append("}}\n")
    case .authenticate(let number, let token):
      appendOpening("authenticate", number, to: &bytes)
      bytes.append("\"token\":\"")
      bytes.append(contentsOf: Population.token(token).utf8)
      bytes.append("\"}}\n")
    case .batch(let items): return appendBatch(items, to: &bytes, records)
    case .items: return false
    }
    return true
  }

  private func appendBatch(_ items: [Message], to bytes: inout [UInt8], _ records: [RecordView]) -> Bool {
    bytes.append("[ ")
    for item in items {
      guard item.appendLine(to: &bytes, records) else { return false }
      bytes[bytes.count - 1] = UInt8(ascii: ",")
    }
    bytes[bytes.count - 1] = UInt8(ascii: "]")
    bytes.append("\n")
    return true
  }

  private static func request(_ number: Int, _ records: [RecordView]) -> Request? {
    number < records.count && records[number].client >= 0 ? records[number].request : nil
  }

  private func appendOpening(_ method: String, _ number: Int, to bytes: inout [UInt8]) {
    bytes.append(#"{"jsonrpc":"2.0","id":"#)
    bytes.append(digitsOf: number)
    bytes.append(#","method":"lastword."#)
    bytes.append(method)
    bytes.append(#"","params":{"#)
  }

  private func appendMember(
    _ target: Target, to bytes: inout [UInt8], _ records: [RecordView]
  ) -> Bool {
    switch target {
    case .id(let number):
      guard let request = Self.request(number, records) else { return false }
      bytes.append(#""id":"#)
      request.appendID(to: &bytes)
    case .key(let label): label.appendMembers(to: &bytes)
    case .group(let group, let isOfPrincipal):
      bytes.append(#""group":"#)
      bytes.append(Spelling.groups[group])
      if isOfPrincipal { bytes.append(#","scope":"principal""#) }
    }
    return true
  }
}
