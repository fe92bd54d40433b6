import Admin

/// A stream of HTTP requests, read in one piece, byte by byte and in uneven pieces: always the same must come out.
///
/// The input's first byte chooses the pieces; the rest is the stream.
struct HTTPStream {
  /// What one reading made of it.
  private struct Reading: Equatable {
    var requests: [HTTPRequest] = []
    var fault: HTTPFault?
    var hasBegun = false
  }

  private let stream: [UInt8]
  private let pieces: [Range<Int>]

  init(_ input: [UInt8]) {
    let stream = Array(input.dropFirst())
    var (pieces, start): ([Range<Int>], Int) = ([], 0)
    var length = Int(input.first ?? 0)
    while start < stream.count {
      length = (length * 5 + 3) % 64
      let end = min(start + 1 + length, stream.count)
      pieces.append(start..<end)
      start = end
    }
    self.stream = stream
    self.pieces = pieces
  }

  func check() throws(Violation) {
    let whole = Self.reading(stream, in: [stream.indices])
    try require(whole == Self.reading(stream, in: pieces), "it matters where requests are cut")
    try require(
      whole == Self.reading(stream, in: stream.indices.map { $0..<$0 + 1 }), "bytes are read otherwise")
    for request in whole.requests { try check(request) }
    if let fault = whole.fault { try check(fault) }
  }

  /// What handlers rely on.
  private func check(_ request: HTTPRequest) throws(Violation) {
    try require(request.path.utf8.first == UInt8(ascii: "/"), "a path begins without a slash")
    let isPlain = request.path.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f }
    try require(isPlain, "a path holds a control character")
    try require(request.query.utf8.allSatisfy { (0x21...0x7e).contains($0) }, "a query holds a space")
    let host = request.host?.name.utf8.allSatisfy { (0x21...0x7e).contains($0) } ?? true
    try require(host, "a host is no name")
    _ = request.parameter("a")
  }

  /// An answer must be one, whatever was asked.
  private func check(_ fault: HTTPFault) throws(Violation) {
    try require(fault.status.rawValue >= 400 && !fault.reason.isEmpty, "a fault is none")
    try require(!fault.reason.utf8.contains { $0 < 0x20 }, "a reason breaks its line")
  }

  private static func reading(_ stream: [UInt8], in pieces: [Range<Int>]) -> Reading {
    var reader = HTTPRequestReader()
    var reading = Reading()
    for piece in pieces where reading.fault == nil { read(Array(stream[piece]), with: &reader, &reading) }
    reading.hasBegun = reader.hasBegun
    return reading
  }

  private static func read(
    _ bytes: [UInt8], with reader: inout HTTPRequestReader, _ reading: inout Reading
  ) {
    var offset = 0
    while reading.fault == nil {
      switch reader.next(in: bytes.span, count: bytes.count, from: &offset) {
      case .more: return
      case .request(let request): reading.requests.append(request)
      case .fault(let fault): reading.fault = fault
      }
    }
  }
}
