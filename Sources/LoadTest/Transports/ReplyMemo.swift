import Glibc
package import HTTP1

/// Remembers heads of responses that were read once, so that one that differs in its length only is known at sight.
package struct ReplyMemo: Sendable {
  /// What a head says.
  package struct Head: Equatable, Sendable {
    package var status: Int
    package var keepsConnection: Bool
    /// Of the content, which ends behind so many bytes.
    package var content: Range<Int>
  }

  private struct Entry {
    /// What stands before the digits of the length, and behind them.
    var before: [UInt8]
    var after: [UInt8]
    var status: Int
    var keepsConnection: Bool
  }

  private static let capacity = 4
  private static let name = Array("content-length: ".utf8)
  /// No longer length is taken.
  private static let digitLimit = 8

  private var entries: [Entry] = []

  package init() {}

  /// The response at `offset` if its head is known and all of it has come.
  /// - Parameter count: how many of the bytes there are.
  package func head(in bytes: Span<UInt8>, count: Int, at offset: Int) -> Head? {
    for index in entries.indices {
      if let head = head(entries[index], in: bytes, count, at: offset) { return head }
    }
    return nil
  }

  private func head(_ entry: borrowing Entry, in bytes: Span<UInt8>, _ count: Int, at offset: Int) -> Head? {
    guard Self.holds(entry.before.span, in: bytes, count, at: offset) else { return nil }
    var place = offset + entry.before.count
    let digits = place
    var length = 0
    while place < count, place - digits < Self.digitLimit, HTTPText.isDigit(bytes[place]) {
      length = length * 10 + Int(bytes[place] & 0x0F)
      place += 1
    }
    guard place > digits, Self.holds(entry.after.span, in: bytes, count, at: place) else { return nil }
    let start = place + entry.after.count
    guard length <= count - start else { return nil }
    return Head(
      status: entry.status, keepsConnection: entry.keepsConnection, content: start..<start + length)
  }

  /// Remembers a head that was read, if it says its content's length.
  /// - Parameter range: all of it, in `bytes`.
  package mutating func remember(_ head: HTTPResponseHead, _ range: Range<Int>, of bytes: Span<UInt8>) {
    guard case .length = head.framing, let digits = Self.digits(range, of: bytes) else { return }
    if entries.count == Self.capacity { entries.removeFirst() }
    entries.append(
      Entry(
        before: Self.copy(range.lowerBound..<digits.lowerBound, of: bytes),
        after: Self.copy(digits.upperBound..<range.upperBound, of: bytes), status: head.status,
        keepsConnection: head.keepsConnection))
  }

  /// Where the length stands.
  private static func digits(_ range: Range<Int>, of bytes: Span<UInt8>) -> Range<Int>? {
    var start = range.lowerBound
    while start + name.count < range.upperBound {
      if isName(at: start, in: bytes) {
        let first = start + name.count
        var end = first
        while end < range.upperBound, HTTPText.isDigit(bytes[end]) { end += 1 }
        return end > first ? first..<end : nil
      }
      while start < range.upperBound, bytes[start] != UInt8(ascii: "\n") { start += 1 }
      start += 1
    }
    return nil
  }

  private static func isName(at start: Int, in bytes: Span<UInt8>) -> Bool {
    name.indices.allSatisfy { index in
      let byte = bytes[start + index]
      return (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
        ? byte | 0x20 == name[index] : byte == name[index]
    }
  }

  private static func copy(_ range: Range<Int>, of bytes: Span<UInt8>) -> [UInt8] { range.map { bytes[$0] } }

  private static func holds(
    _ expected: Span<UInt8>, in bytes: Span<UInt8>, _ count: Int, at offset: Int
  ) -> Bool {
    guard expected.count <= count - offset else { return false }
    let found = bytes.extracting(offset..<offset + expected.count)
    return unsafe found.withUnsafeBytes { found in
      // Both have that many bytes.
      unsafe expected.withUnsafeBytes { unsafe memcmp(found.baseAddress!, $0.baseAddress!, $0.count) == 0 }
    }
  }
}
