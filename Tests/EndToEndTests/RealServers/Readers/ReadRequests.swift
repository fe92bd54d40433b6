import Foundation
import HTTP1

/// What a reader made of a stream of requests.
struct ReadRequests {
  struct Request: Equatable {
    var method: String
    /// Without the scheme and host of a whole URL, and without escapes in its path.
    var target: String
    /// Names in small letters.
    var fields: [[String]]
    var content: [UInt8]
  }

  enum End: Equatable {
    /// Nothing is wrong so far.
    case more
    /// No request may follow.
    case closed
    case fault(String)
  }

  /// Those that came whole.
  private(set) var requests: [Request] = []
  private(set) var end = End.more
  var fault: String? { if case .fault(let reason) = end { reason } else { nil } }

  // MARK: Ours

  /// What our reader makes of it, in pieces that another number chooses.
  init(_ stream: [UInt8], pieceBytes: Int) {
    var limits = HTTPRequestReader.Limits()
    limits.contentBytes = 64 * 1024
    var reader = HTTPRequestReader(methods: ["GET", "HEAD", "POST", "OPTIONS"], limits: limits)
    var isLast = false
    var pending: Request?
    for start in stride(from: 0, to: stream.count, by: pieceBytes) {
      let piece = Array(stream[start..<min(start + pieceBytes, stream.count)])
      var offset = 0
      reading: while end == .more {
        switch reader.next(in: piece.span, count: piece.count, from: &offset) {
        case .more: break reading
        case .head(let head):
          isLast = !head.keepsConnection
          pending = Request(
            method: head.method,
            target: head.target.path + (head.target.query.isEmpty ? "" : "?" + head.target.query),
            fields: Self.plain(head.fields.all.map { [$0.name, $0.value] }), content: [])
          if head.framing == .none { take(&pending, isLast) }
        case .content(let range): pending?.content += piece[range]
        case .end: take(&pending, isLast)
        case .fault(let fault): end = .fault(fault.reason)
        }
      }
    }
  }

  private mutating func take(_ pending: inout Request?, _ isLast: Bool) {
    if let pending { requests.append(pending) }
    pending = nil
    if isLast { end = .closed }
  }

  // MARK: Others'

  struct Unreadable: Error { let line: String }

  /// As a program in `Tests/Servers` writes it.
  init(line: String) throws {
    guard let whole = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [Any], whole.count == 2,
      let found = whole[0] as? [[Any]], let end = whole[1] as? String
    else { throw Unreadable(line: line) }
    requests = try found.map { parts in
      guard parts.count == 4, let method = parts[0] as? String, let target = parts[1] as? String,
        let fields = parts[2] as? [[String]], let content = parts[3] as? String
      else { throw Unreadable(line: line) }
      return Request(
        method: method, target: Self.plain(target), fields: Self.plain(fields),
        content: Self.bytes(of: content))
    }
    switch end {
    case "more": self.end = .more
    case "closed": self.end = .closed
    default: self.end = .fault(String(end.dropFirst("fault: ".count)))
    }
  }

  private static func bytes(of digits: String) -> [UInt8] {
    let digits = Array(digits)
    return stride(from: 0, to: digits.count - 1, by: 2).compactMap {
      UInt8(String(digits[$0...$0 + 1]), radix: 16)
    }
  }

  /// h11 hands the name of a coding on in small letters.
  private static func plain(_ fields: [[String]]) -> [[String]] {
    fields.map { $0[0] == "transfer-encoding" ? [$0[0], $0[1].lowercased()] : $0 }
  }

  private static func plain(_ target: String) -> String {
    var rest = target[...]
    if let scheme = target.range(of: "://"), !target.hasPrefix("/") {
      rest = target[scheme.upperBound...].drop { $0 != "/" && $0 != "?" }
      if !rest.hasPrefix("/") { rest = "/" + rest }
    }
    let parts = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let path = parts[0].removingPercentEncoding ?? String(parts[0])
    return parts.count == 2 && !parts[1].isEmpty ? "\(path)?\(parts[1])" : path
  }
}
