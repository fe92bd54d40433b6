/// What upstream said to a call; its number is in its result.
struct AnswerView {
  /// What the gateway must make of it, if it comes from where the call went.
  enum Meaning {
    case good
    /// The call is over, and failed.
    case bad
    /// It is no answer to any call.
    case none
  }

  var task: Int
  var ask = 0
  var kind: Answer.Kind
  var form: Int
  /// It is the answer to an exchange, and so to its call, whatever it is.
  var isExchange = false
  /// It came over a connection that the call did not go over.
  var isForeign = false
  /// When it was handed to the core, in events and milliseconds; 0: not yet.
  var handed = 0
  var handedMilliseconds = 0
  /// The same of the piece that came before it.
  var pieceHanded = 0
  var pieceHandedMilliseconds = 0
  /// It is the first good answer to a call of this connection: only such a one may reach anybody.
  var isFirst = false
  /// The gateway surely knew the call then.
  var isSurelyKnown = false
  /// Nobody waited for it when it came, and its task is one that is undone.
  var mustBeUndone = false

  var meaning: Meaning {
    switch kind {
    case .result, .error: .good
    case .both, .tooLong, .tooDeep: .bad
    case .nullID: isExchange ? .good : .none
    case .fractionalID, .stringID, .nonsense: isExchange ? .bad : .none
    }
  }

  var isError: Bool { kind == .error || kind == .nullID }
}
