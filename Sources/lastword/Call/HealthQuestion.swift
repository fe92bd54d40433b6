import Addresses
import HTTP1
import LibUV

/// A request that shows whether a gateway is well, and how its answer is judged.
struct HealthQuestion {
  let address: SocketAddress
  /// The name of the request in the verdict.
  let name: String
  let bytes: [UInt8]
  /// The verdict on the bytes that have come so far; nil: more are needed.
  let judge: ([UInt8], _ hasEnded: Bool) -> Verdict?

  struct Verdict {
    let isWell: Bool
    let text: String
  }

  // MARK: Admin pages

  static func page(_ path: String, at address: SocketAddress) -> HealthQuestion {
    text(path, at: address, separator: "; ")
  }

  /// - Parameters:
  ///   - separator: stands between the lines of the answer.
  ///   - noPage: the verdict on the status 404, where the server has admin pages but not this one; nil: a 404 shows
  ///     that it has none.
  static func text(
    _ path: String, at address: SocketAddress, byPost: Bool = false, token: String? = nil,
    separator: String = "\n", noPage: String? = nil
  ) -> HealthQuestion {
    let address = address.reachable
    var place = "http://\(address)"
    if case .unix = address { place = "\(address) " }
    let authorization = token.map { "Authorization: Bearer \($0)\r\n" } ?? ""
    let length = byPost ? "Content-Length: 0\r\n" : ""
    let head =
      "\(byPost ? "POST" : "GET") \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
    return HealthQuestion(
      address: address, name: place + path, bytes: Array("\(head)\(authorization)\(length)\r\n".utf8)
    ) { answer, hasEnded in
      // The answer ends with the connection.
      hasEnded ? page(answer, separator, noPage) : nil
    }
  }

  private static func page(_ answer: [UInt8], _ separator: String, _ noPage: String?) -> Verdict {
    var reader = HTTPResponseReader()
    var status: Int?
    var content: [UInt8] = []
    var offset = 0
    reading: while true {
      switch reader.next(in: answer.span, count: answer.count, from: &offset) {
      case .head(let head): status = head.status
      case .content(let range): content += answer[range]
      case .end, .more, .fault: break reading
      }
    }
    // A port for JSON-RPC has no pages.
    if status == 404, let noPage { return Verdict(isWell: false, text: noPage) }
    guard let status, noPage != nil || status != 400 && status != 404 else {
      return Verdict(isWell: false, text: "what answers there is no admin page")
    }
    let lines = content.split(separator: 0x0a).map(text(ofLine:)).filter { !$0.isEmpty }
    return Verdict(isWell: status == 200, text: lines.joined(separator: separator))
  }

  private static func text(ofLine line: ArraySlice<UInt8>) -> String {
    String(decoding: line.last == 0x0d ? line.dropLast() : line, as: UTF8.self)
  }

  // MARK: Clients' address

  static func ping(at address: SocketAddress, isSecure: Bool = false) -> HealthQuestion {
    let address = address.reachable
    let place = GatewayPlace(address: address, isSecure: isSecure)
    return HealthQuestion(
      address: address, name: "ping \(place)",
      bytes: Array((#"{"jsonrpc":"2.0","id":1,"method":"lastword.ping"}"# + "\n").utf8)
    ) { answer, _ in
      guard let end = answer.firstIndex(of: 0x0a) else { return nil }
      let line = text(ofLine: answer[..<end])
      let isWell = line == #"{"jsonrpc":"2.0","id":1,"result":null}"#
      return Verdict(isWell: isWell, text: isWell ? "ok" : line)
    }
  }
}
