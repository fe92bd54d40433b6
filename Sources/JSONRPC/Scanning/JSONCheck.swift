/// Decides whether a text is JSON (RFC 8259) while it comes, piece by piece: what has been read is not read again.
///
/// Each byte takes one step through a table of states, whatever the text is made of, so that long texts of many small
/// tokens cost no more than others. It judges as `EnvelopeScanner` does, and tells faults at the same places.
package struct JSONCheck {
  package enum Verdict: Hashable, Sendable {
    case json
    /// `offset` is where that shows.
    case malformed(offset: Int)
    /// The bracket at `offset` is one too many.
    case tooDeep(offset: Int)
  }

  private var state = JSONState(.text, .value).number
  private var containers: OpenContainers
  /// Where it goes on.
  private(set) var position = 0
  private(set) var fault: Verdict?

  /// - Parameter nestingLevels: how deep containers may be nested.
  package init(nestingLevels: Int) { containers = OpenContainers(limit: nestingLevels) }

  /// Reads on.
  ///
  /// - Parameter bytes: the text from its beginning on.
  /// - Parameter end: how far they belong to the text.
  package mutating func read(_ bytes: Span<UInt8>, upTo end: Int) {
    precondition(0 <= position && end <= bytes.count, "the text lies outside")
    guard fault == nil else { return }
    let steps = JSONState.steps
    let table = steps.span
    // Both in registers.
    var (state, position) = (state, position)
    if JSONState(number: state).place == .string {
      position = Self.endOfPlainBytes(from: position, upTo: end, in: bytes)
    }
    while position < end {
      // There is a row of 256 steps for each state, and `end` lies in the span.
      let step = unsafe table[unchecked: Int(state) &<< 8 | Int(bytes[unchecked: position])]
      if step < JSONState.count {
        state = step
        position &+= 1
        continue
      }
      guard take(step, state: &state, at: &position, upTo: end, in: bytes) else {
        let isTooDeep = step == JSONState.openObject || step == JSONState.openArray
        fault = isTooDeep ? .tooDeep(offset: position) : malformed(from: state, at: position, in: bytes)
        break
      }
    }
    (self.state, self.position) = (state, position)
  }

  /// The verdict on the text if it ends here.
  package func verdict(in bytes: Span<UInt8>) -> Verdict {
    if let fault { return fault }
    return JSONState(number: state).endsText ? .json : malformed(from: state, at: position, in: bytes)
  }

  /// Takes a step that is more than a new state; false if the byte is wrong.
  @inline(__always)
  private mutating func take(
    _ step: UInt8, state: inout UInt8, at position: inout Int, upTo end: Int, in bytes: Span<UInt8>
  ) -> Bool {
    switch step {
    case JSONState.goOnInString:
      state = JSONState.stringBeside(state)
      position = Self.endOfPlainBytes(from: position &+ 1, upTo: end, in: bytes)
      return true
    case JSONState.openObject, JSONState.openArray:
      let isObject = step == JSONState.openObject
      guard containers.open(isObject: isObject) else { return false }
      state = isObject ? JSONState.firstName : JSONState.firstItem
    case JSONState.closeContainer:
      containers.close()
      state =
        containers.isEmpty
        ? JSONState.afterText : containers.isInObject ? JSONState.afterMember : JSONState.afterItem
    default:
      return false
    }
    position &+= 1
    return true
  }

  /// Where what is plain in a string ends, or somewhat before that: blocks must not reach beyond the text.
  @inline(__always)
  private static func endOfPlainBytes(from start: Int, upTo end: Int, in bytes: Span<UInt8>) -> Int {
    var position = start
    while position &+ StringBlock.byteCount <= end {
      let count = StringBlock(at: position, in: bytes).plainByteCount
      position &+= count
      if count < StringBlock.byteCount { break }
    }
    return position
  }

  /// An escape, and a scalar beyond ASCII, is wrong where it begins.
  private func malformed(from state: UInt8, at position: Int, in bytes: Span<UInt8>) -> Verdict {
    var offset = position
    let place = JSONState(number: state).place
    if place.isInEscape {
      offset -= Int(place.rawValue - JSONState.Place.string.rawValue)
    } else if place.isInScalar {
      repeat { offset -= 1 } while bytes[offset].isContinuation
    }
    return .malformed(offset: offset)
  }
}
