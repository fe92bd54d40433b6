import JSONRPC

/// Replies to what was for the gateway itself.
extension Oracle {
  func judgeFixed(_ reply: ReplyView, _ malformed: MalformedMessage, _ number: Int, in bytes: [UInt8]) {
    if mayBeRefused(reply, to: records[number].client) { return }
    let isRight =
      switch malformed.reply {
      case .none, .errorToNull: false
      case .null: reply.code == 0 && bytes[reply.result].elementsEqual("null".utf8)
      case .error(let code): reply.code == code
      }
    expect(isRight, "message \(number) (\(malformed.name)) was answered with \(reply.code)")
  }

  mutating func judgeCount(_ reply: ReplyView, atMost limit: Int, _ number: Int, in bytes: [UInt8]) {
    if reply.code == RPCError.overloaded.code && records[number].mayBeOverQuota {
      checkRetry(reply, of: number)
      return coverage.count(.refusedCancel)
    }
    noteCancelled(number)
    let count = reply.code == 0 ? [UInt8].firstNumber(in: bytes[reply.result]) : nil
    guard let count, Template(#"{"cancelled":~}"#).matches(count, bytes[reply.result]) else {
      return complain("request \(number) to cancel was answered with \(text(bytes[reply.result]))")
    }
    expect(count <= limit, "request \(number) cancelled \(count) requests, where there were \(limit)")
  }

  func judgeInspection(_ reply: ReplyView, of lanes: [Int], _ number: Int, in bytes: [UInt8]) {
    // To a client that had too much unread.
    let mayBeRefused = bounds.tightestClientOutputBytes < World.tightBytes
    if reply.code == RPCError.overloaded.code && mayBeRefused { return }
    guard reply.code == 0, bytes[reply.result].starts(with: #"{"count":"#.utf8) else {
      return complain("request \(number) to inspect was answered with \(text(bytes[reply.result]))")
    }
    guard !lanes.contains(-1) else { return }
    var rest = bytes[reply.result]
    var last = UInt64.max
    while let place = Self.end(of: #""generation":"#, in: rest) {
      rest = rest[place...]
      let generation = UInt64([UInt8].firstNumber(in: rest) ?? 0)
      expect(generation < last, "request \(number) was shown tasks out of order")
      last = generation
      guard let task = newest(ofGeneration: generation) else { continue }
      expectShown(task, to: number, of: lanes)
      let state = rest[rest.prefix { $0.isDigit }.endIndex...]
      let drains = state.starts(with: #","state":"draining""#.utf8)
      let record = records[number]
      // The end of its grace may have to wait for other timers.
      let mayDrain =
        record.isHandledLate || !isSurelyOutOfGrace(task, at: record.handledMilliseconds)
      expect(mayDrain || !drains, "request \(number) was shown a task that drains beyond its grace")
    }
  }

  private static func end(of text: StaticString, in bytes: ArraySlice<UInt8>) -> Int? {
    let length = text.utf8CodeUnitCount
    var start = bytes.startIndex
    while start + length <= bytes.endIndex {
      if bytes[start] == UInt8(ascii: "\""), bytes[start..<start + length].elementsEqual("\(text)".utf8) {
        return start + length
      }
      start += 1
    }
    return nil
  }
}
