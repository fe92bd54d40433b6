import JSONRPC
import TaskStore

/// What a request asks of the store: its key and its options, in whatever form the client gave them.
struct TaskIntent {
  typealias Scope = ListenerOptions.Scope

  var key = Label.none
  var group = Label.none
  var policy: DuplicatePolicy?
  var join: JoinRule?
  var scope: Scope?
  var timeoutMilliseconds: UInt32?
  var drainMilliseconds: UInt32?
  var debounceMilliseconds: UInt32?
  var maxWaitMilliseconds: UInt32?
  var maxStaleMilliseconds: UInt32?
  /// Without its quotes; empty: none.
  var traceparent = ByteRange.none
  /// Of the member `task`, for error messages.
  var saysWhatToDoWhenBusy = false
}
