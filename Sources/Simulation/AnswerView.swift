/// What upstream said to a call; its number is in its result.
struct AnswerView {
  var task: Int
  var ask = 0
  var kind: Answer.Kind
  var form: Int
  /// It came from an upstream that was not asked.
  var isForeign = false
  /// When it was handed to the core, in events and milliseconds; 0: not yet.
  var handed = 0
  var handedMilliseconds = 0
  /// It is the first good answer to a call of this connection: only such a one may reach anybody.
  var isFirst = false
  /// Nobody waited for it when it came, and its task is one that is undone.
  var mustBeUndone = false

  /// A call is over once any of these has come, if it is the call's own id that it names.
  var endsCall: Bool { kind == .result || kind == .error || kind == .both }
}
