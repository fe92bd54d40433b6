#if TLS
import CLibSSL

extension TLSEngine {
  /// Makes records of up to `limit` bytes of the chunks, without their first `offset`; they are then in `output`.
  /// - Returns: how many bytes were taken. Fewer than there are and than `limit`: nothing can be said, `fault` or the
  ///   state says why.
  package func write(
    _ chunks: UnsafeBufferPointer<UnsafeRawBufferPointer>, from offset: Int = 0, limit: Int = .max
  ) -> Int {
    guard isSecured, !hasEnded, fault == nil else { return 0 }
    var cursor = unsafe TLSChunks(chunks)
    cursor.skip(offset)
    var taken = 0
    while taken < limit, fault == nil {
      let most = min(Self.recordBytes, limit - taken)
      let count = unsafe cursor.next(most) { unsafe seal($0) }
      guard count > 0 else { break }
      taken += count
    }
    return taken
  }

  /// The same for bytes that lie in one place.
  package func write(_ bytes: [UInt8]) -> Int {
    // Both pointers are valid during the call, and nothing of them is kept.
    unsafe bytes.withUnsafeBytes { chunk in
      unsafe withUnsafePointer(to: chunk) { unsafe write(UnsafeBufferPointer(start: $0, count: 1)) }
    }
  }

  /// Says that nothing more will be written; what the peer still says is read.
  package func end() {
    guard isSecured, !hasEnded, fault == nil else { return }
    hasEnded = true
    TLSErrors.forget()
    _ = unsafe SSL_shutdown(session)
  }

  /// A record of these bytes.
  private func seal(_ bytes: UnsafeRawBufferPointer) -> Int {
    TLSErrors.forget()
    var count = 0
    if unsafe SSL_write_ex(session, bytes.baseAddress, bytes.count, &count) != 1 {
      fail()
      return 0
    }
    return count
  }
}

/// Chunks of bytes, read one record at a time: many small ones become one record.
@safe private struct TLSChunks: ~Copyable {
  private let chunks: UnsafeBufferPointer<UnsafeRawBufferPointer>
  private var index = 0
  private var offset = 0

  init(_ chunks: UnsafeBufferPointer<UnsafeRawBufferPointer>) { unsafe self.chunks = unsafe chunks }

  mutating func skip(_ count: Int) {
    var left = count
    while left > 0, unsafe index < chunks.count {
      let step = min(left, unsafe chunks[index].count - offset)
      left -= step
      advance(step)
    }
  }

  /// Gives `body` the next bytes, `most` at most, and goes on behind as many as that returns; 0: there are none.
  mutating func next(_ most: Int, _ body: (UnsafeRawBufferPointer) -> Int) -> Int {
    while unsafe index < chunks.count, unsafe offset == chunks[index].count { advance(0) }
    guard unsafe index < chunks.count else { return 0 }
    let rest = unsafe UnsafeRawBufferPointer(rebasing: chunks[index][offset...])
    // A chunk that nearly fills a record gets one: to copy it together with others would cost more than another record.
    let isLong = 2 * rest.count >= TLSEngine.recordBytes
    if unsafe isLong || rest.count >= most || index == chunks.count - 1 {
      let taken = unsafe body(UnsafeRawBufferPointer(rebasing: rest.prefix(most)))
      advance(taken)
      return taken
    }
    return unsafe gather(most, body)
  }

  private mutating func gather(_ most: Int, _ body: (UnsafeRawBufferPointer) -> Int) -> Int {
    unsafe withUnsafeTemporaryAllocation(byteCount: most, alignment: 1) { room in
      var count = 0
      var (index, offset) = (index, offset)
      while count < most, unsafe index < chunks.count {
        let step = min(most - count, unsafe chunks[index].count - offset)
        unsafe UnsafeMutableRawBufferPointer(rebasing: room[count...]).copyMemory(
          from: UnsafeRawBufferPointer(rebasing: chunks[index][offset..<offset + step]))
        count += step
        offset += step
        if unsafe offset == chunks[index].count { (index, offset) = (index + 1, 0) }
      }
      let taken = unsafe body(UnsafeRawBufferPointer(rebasing: room[..<count]))
      skip(taken)
      return taken
    }
  }

  private mutating func advance(_ count: Int) {
    offset += count
    if unsafe offset == chunks[index].count { (index, offset) = (index + 1, 0) }
  }
}
#endif
