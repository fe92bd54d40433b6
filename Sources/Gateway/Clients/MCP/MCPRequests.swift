import JSONRPC

/// The unanswered requests of a session of the Model Context Protocol, each under a number that no other one of it has
/// had: what its client calls them may be the same for several, as when it asks once more.
struct MCPRequests<Stream: AnyObject> {
  struct Request {
    /// What its client calls it, as it stands there.
    let id: [UInt8]
    /// By which progress is reported of it, as it stands there; empty: it asks for none.
    let progressToken: [UInt8]
    /// It may hear something before its answer.
    let takesEvents: Bool
    /// The stream that its answer goes over; nil: it went away, which does not cancel the request.
    fileprivate(set) var stream: Stream?
    fileprivate(set) var leftMilliseconds: UInt64 = 0
  }

  private var byNumber: [UInt64: Request] = [:]
  private var lastNumber: UInt64 = 0
  /// Of each all numbers rise.
  private var byID: [[UInt8]: [UInt64]] = [:]
  private var byToken: [[UInt8]: [UInt64]] = [:]
  private var hearing: [UInt64] = []
  /// In the order in which their streams went.
  private var left: [UInt64] = []

  var isEmpty: Bool { byNumber.isEmpty }
  /// The stream of the newest request that may hear something.
  var newestStream: Stream? { hearing.last.flatMap { byNumber[$0]?.stream } }
  /// When the first of the requests whose streams went was left.
  var firstLeftMilliseconds: UInt64? { left.first.flatMap { byNumber[$0]?.leftMilliseconds } }

  var streams: [Stream] { byNumber.values.compactMap(\.stream) }

  func id(of number: UInt64) -> [UInt8]? { byNumber[number]?.id }
  func isOpen(_ number: UInt64) -> Bool { byNumber[number] != nil }

  /// The stream over which a request may hear something before its answer; nil: it has none, or none any more.
  func stream(of number: UInt64) -> Stream? {
    guard let request = byNumber[number], request.takesEvents else { return nil }
    return request.stream
  }

  /// The newest one that its client calls so.
  func newest(withID id: some Collection<UInt8>) -> UInt64? { byID[Self.said(id)]?.last }

  /// The newest one whose progress is reported so.
  func newest(withToken token: [UInt8]) -> UInt64? { byToken[token]?.last }

  // MARK: Coming and going

  /// Returns its number.
  mutating func add(id: [UInt8], progressToken: [UInt8], takesEvents: Bool, over stream: Stream) -> UInt64 {
    lastNumber += 1
    byNumber[lastNumber] = Request(
      id: id, progressToken: progressToken, takesEvents: takesEvents, stream: stream)
    byID[Self.said(id), default: []].append(lastNumber)
    if !progressToken.isEmpty { byToken[progressToken, default: []].append(lastNumber) }
    if takesEvents { hearing.append(lastNumber) }
    return lastNumber
  }

  /// Its stream went.
  mutating func leave(_ number: UInt64, atMilliseconds milliseconds: UInt64) {
    guard byNumber[number]?.stream != nil else { return }
    byNumber[number]?.stream = nil
    byNumber[number]?.leftMilliseconds = milliseconds
    Self.remove(number, from: &hearing)
    left.append(number)
  }

  /// It is answered, or taken back.
  mutating func remove(_ number: UInt64) -> Request? {
    guard let request = byNumber.removeValue(forKey: number) else { return nil }
    Self.remove(number, of: Self.said(request.id), from: &byID)
    if !request.progressToken.isEmpty { Self.remove(number, of: request.progressToken, from: &byToken) }
    Self.remove(number, from: &hearing)
    if request.stream == nil, let place = left.firstIndex(of: number) { left.remove(at: place) }
    return request
  }

  /// All that were left by then are taken back; returns their numbers.
  mutating func removeLeft(byMilliseconds milliseconds: UInt64) -> [UInt64] {
    let over = left.prefix { byNumber[$0].map { $0.leftMilliseconds <= milliseconds } ?? true }
    for number in over { _ = remove(number) }
    return Array(over)
  }

  /// The session ends; returns those that hear so, oldest first.
  mutating func removeAll() -> [Request] {
    let all = byNumber.sorted { $0.key < $1.key }.map(\.value)
    self = MCPRequests()
    return all
  }

  private static func remove(_ number: UInt64, of name: [UInt8], from names: inout [[UInt8]: [UInt64]]) {
    guard var numbers = names.removeValue(forKey: name) else { return }
    remove(number, from: &numbers)
    if !numbers.isEmpty { names[name] = numbers }
  }

  private static func remove(_ number: UInt64, from rising: inout [UInt64]) {
    var (low, high) = (0, rising.count)
    while low < high {
      let middle = (low + high) / 2
      if rising[middle] < number { low = middle + 1 } else { high = middle }
    }
    if low < rising.count, rising[low] == number { rising.remove(at: low) }
  }

  /// Strings that say the same are the same id, however they are written, and a number is never one.
  private static func said(_ id: some Collection<UInt8>) -> [UInt8] {
    guard id.first == UInt8(ascii: "\""), id.contains(UInt8(ascii: "\\")) else {
      return id.first == UInt8(ascii: "\"") ? Array(id.dropLast()) : Array(id)
    }
    let text = JSONText.padded(Array(id))
    var said = [UInt8(ascii: "\"")]
    _ = JSONString.unescape(ByteRange(0..<id.count), in: text.span, into: &said)
    return said
  }
}
