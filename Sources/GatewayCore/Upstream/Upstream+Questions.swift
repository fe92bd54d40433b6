import HotData
import JSONRPC
import TaskStore

/// What upstreams of a client's own ask by themselves.
extension Upstream {
  private func isWithinHardBound(_ slot: Int) -> Bool {
    sessions[slot].output.byteCount <= pools[sessions[slot].upstream].outputHardBytes
  }

  /// - Parameter id: that of upstream's request; empty: it is a notification, and nobody hears of it.
  mutating func refuseAsked(as id: ByteRange, _ error: RPCError, in bytes: Span<UInt8>, from slot: Int) {
    let options = pools[sessions[slot].upstream].options
    guard !id.isEmpty, isWithinHardBound(slot) else { return }
    MessageWriter.error(
      RequestID(id, in: bytes), error, as: options.framing, into: &sessions[slot].output)
  }

  /// Whether it may ask its client once more.
  func mayAsk(_ slot: Int) -> Bool { sessions[slot].asked.count < configuration.upstreamRequests }

  /// - Parameter number: under which its client is asked.
  mutating func noteAsked(_ id: ByteRange, as number: UInt64, in bytes: Span<UInt8>, from slot: Int) {
    sessions[slot].asked.add(RequestID(id, in: bytes), as: number)
  }

  /// It takes a question back: under which number its client knows that, if it does.
  mutating func takenBack(
    _ id: ByteRange, _ envelope: Envelope, in bytes: Span<UInt8>, from slot: Int
  ) -> UInt64? {
    // The client would take upstream's id for one of our numbers, and give up another request.
    guard let number = sessions[slot].asked.newest(withID: id, in: bytes) else {
      counters.unsolicited += 1
      return nil
    }
    // The client will not answer it.
    if CancelledID.isMCP(envelope, in: bytes) { _ = sessions[slot].asked.remove(number) }
    return number
  }

  mutating func takeAsked(_ number: UInt64, from slot: Int) -> RequestID? {
    sessions[slot].asked.remove(number)
  }

  /// The ids of all that it asked and that was not answered, in their order.
  mutating func takeAllAsked(from slot: Int) -> [RequestID] { sessions[slot].asked.removeAll() }

  /// Writes a client's answer; returns whether that is within the hard bound.
  mutating func answer(_ id: RequestID, _ bytes: Span<UInt8>, _ envelope: Envelope, to slot: Int) -> Bool {
    let isError = !envelope.error.isEmpty
    let framing = pools[sessions[slot].upstream].options.framing
    MessageWriter.answer(
      id, isError: isError, bytes, (isError ? envelope.error : envelope.result).range, as: framing,
      into: &sessions[slot].output)
    return isWithinHardBound(slot)
  }

  /// No right answer comes: upstream hears that there is none; returns whether that is within the hard bound.
  mutating func refuseAsked(_ id: RequestID, at slot: Int, because reason: String) -> Bool {
    let framing = pools[sessions[slot].upstream].options.framing
    MessageWriter.error(
      id, .internalError.with(message: reason), as: framing, into: &sessions[slot].output)
    return isWithinHardBound(slot)
  }
}
