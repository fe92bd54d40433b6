/// Where the members of a task with a key lie, if it has no others than these, so that they need not be found again.
@usableFromInline
package struct FastTask: Hashable, Sendable {
  /// A string without escapes, with its quotes; `none`: there is no task, or none that the fast path reads.
  @usableFromInline package var key = ByteRange.none
  /// A string without escapes, with its quotes.
  @usableFromInline package var policy = ByteRange.none
  /// A whole number.
  @usableFromInline package var timeout = ByteRange.none

  @inlinable @inline(always)
  package init() {}
}

/// Skipping a task as nearly all programs write it: without escapes, beyond ASCII nothing, white space only as one blank
/// after a colon or a comma.
extension JSONCursor {
  /// Where the task ends that begins here; nil when the fast path does not read it, be it right or wrong.
  ///
  /// Not mutating, so that the position can stay in a register around the call.
  @inline(never)
  func endOfFastTask(
    in bytes: Span<UInt8>, depthLimit: Int, noting task: inout FastTask
  ) -> Int? {
    guard depthLimit > 0, position < end, isAt("{", in: bytes) else { return nil }
    var cursor = self
    var found = FastTask()
    repeat {
      cursor.position &+= 1
      cursor.skipBlank(in: bytes)
      guard cursor.skipMember(in: bytes, noting: &found) else { return nil }
    } while cursor.position < end && cursor.isAt(",", in: bytes)
    guard cursor.position < end, cursor.isAt("}", in: bytes), !found.key.isEmpty else { return nil }
    task = found
    return cursor.position &+ 1
  }

  @inline(always)
  private mutating func skipMember(in bytes: Span<UInt8>, noting task: inout FastTask) -> Bool {
    let word = ByteWord(at: position, in: bytes)
    if word.begins(with: "\"key\":") {
      position &+= 6
      return task.key.isEmpty && skipPlainString(in: bytes, noting: &task.key)
    }
    let next = ByteWord(at: position &+ ByteWord.byteCount, in: bytes)
    if word == ByteWord("\"policy\""), next.begins(with: ":") {
      position &+= 9
      return task.policy.isEmpty && skipPlainString(in: bytes, noting: &task.policy)
    }
    if word == ByteWord("\"timeout"), next.begins(with: "Ms\":") {
      position &+= 12
      return task.timeout.isEmpty && skipShortNumber(in: bytes, noting: &task.timeout)
    }
    return false
  }

  @inline(always)
  private mutating func skipPlainString(in bytes: Span<UInt8>, noting range: inout ByteRange) -> Bool {
    skipBlank(in: bytes)
    guard isAt("\"", in: bytes), let stop = endOfPlainString(at: position, in: bytes) else {
      return false
    }
    range = ByteRange(from: position, to: stop)
    position = stop
    return true
  }

  @inline(always)
  private mutating func skipShortNumber(in bytes: Span<UInt8>, noting range: inout ByteRange) -> Bool {
    skipBlank(in: bytes)
    let count = ByteWord(at: position, in: bytes).shortIntegerDigitCount
    guard count > 0 else { return false }
    range = ByteRange(from: position, to: position &+ count)
    position &+= count
    return true
  }
}

extension FastTask {
  /// The same of a copy of the task that lies elsewhere.
  @inlinable @inline(__always)
  package func moved(from task: ByteRange, to copy: ByteRange) -> FastTask {
    guard !key.isEmpty else { return self }
    var moved = self
    moved.key = key.moved(from: task, to: copy)
    moved.policy = policy.moved(from: task, to: copy)
    moved.timeout = timeout.moved(from: task, to: copy)
    return moved
  }
}
