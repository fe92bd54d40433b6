/// Where the members of one JSON-RPC message lie in the span it was scanned in; nothing is copied.
@usableFromInline
package struct Envelope: Sendable {
  /// By `EnvelopeMember`.
  @usableFromInline package var ranges: InlineArray<7, ByteRange> = [
    .none, .none, .none, .none, .none, .none, .none,
  ]
  /// What `task` says, if the fast path reads it.
  @usableFromInline package var fastTask = FastTask()
  @usableFromInline package var methodHasEscapes = false
  /// Whether it is known that no CR or LF stands between any tokens of the message.
  @usableFromInline package var isFreeOfLineBreaks = false
  /// Whether this has a method and no id member, so that it is never answered. An id of null is an id.
  @usableFromInline package var isNotification = false
  /// Whether this has no method but a result or an error, and is no right response all the same: nobody answers it.
  @usableFromInline package var isBadResponse = false

  @inlinable @inline(always)
  package init() {}

  /// The envelope of a text that is no valid message, with its id.
  init(id: ByteRange, of message: Envelope) {
    self.id = id
    isNotification = message.isNotification
    isBadResponse = message.isResponse
  }

  @inlinable
  subscript(member: EnvelopeMember) -> ByteRange {
    // There is a range for every member.
    @inline(always) get { unsafe ranges[unchecked: member.index] }
    @inline(always) set { unsafe ranges[unchecked: member.index] = newValue }
  }
}

extension Envelope {
  @inlinable package var version: ByteRange { self[.jsonrpc] }

  /// The id as it stands there; `none` when there is no id member.
  @inlinable package var id: ByteRange {
    get { self[.id] }
    set { self[.id] = newValue }
  }

  /// The method's name with its quotes.
  @inlinable package var method: ByteRange {
    get { self[.method] }
    set { self[.method] = newValue }
  }

  /// An array or an object; `none` when the member is missing or null.
  @inlinable package var params: ByteRange {
    get { self[.params] }
    set { self[.params] = newValue }
  }

  /// An object.
  @inlinable package var task: ByteRange {
    get { self[.task] }
    set { self[.task] = newValue }
  }

  @inlinable package var result: ByteRange { self[.result] }

  @inlinable package var error: ByteRange { self[.error] }

  @inlinable package var isResponse: Bool {
    @inline(always) get { method.isEmpty && !(result.isEmpty && error.isEmpty) }
  }
}
