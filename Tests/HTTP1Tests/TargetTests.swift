import HTTP1
import Testing

/// What a request may be for, beside a path.
@Suite struct TargetTests {
  private func reading(_ line: String, isSecure: Bool = false) -> (head: HTTPRequestHead?, fault: HTTPFault?)
  {
    var limits = HTTPRequestReader.Limits()
    limits.isSecure = isSecure
    var reader = HTTPRequestReader(methods: ["GET", "OPTIONS"], limits: limits)
    let bytes = Array("\(line) HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
    var offset = 0
    switch reader.next(in: bytes.span, count: bytes.count, from: &offset) {
    case .head(let head): return (head, nil)
    case .fault(let fault): return (nil, fault)
    default: return (nil, nil)
    }
  }

  @Test(arguments: ["http", "ws", "HTTP", "wS"])
  func `a whole URL has a scheme without TLS where there is none`(scheme: String) {
    let read = reading("GET \(scheme)://h:1/x?y")
    #expect(read.head?.host?.text == "h:1" && read.head?.target.path == "/x")
    #expect(reading("GET \(scheme)://h:1/x?y", isSecure: true).fault?.status == .misdirected)
  }

  @Test(arguments: ["https", "wss", "HTTPS", "WsS"])
  func `and one of TLS where there is`(scheme: String) {
    let read = reading("GET \(scheme)://h:1/x?y", isSecure: true)
    #expect(read.head?.host?.text == "h:1" && read.head?.target.path == "/x")
    #expect(reading("GET \(scheme)://h:1/x?y").fault?.status == .misdirected)
  }

  @Test(
    arguments: [true, false], ["httpss://h", "ftp://h", "https:/h", "wss", "https", "ws:h", "://h", "h:1"])
  func `anything else is no target`(isSecure: Bool, target: String) {
    #expect(reading("GET \(target)", isSecure: isSecure).fault?.status == .badRequest)
  }

  @Test func `only OPTIONS is for the whole server`() {
    let read = reading("OPTIONS *")
    #expect(read.head?.target.path == "*" && read.head?.host?.name == "a")
    #expect(reading("GET *").fault?.status == .badRequest)
    for target in ["**", "*?x", "*/", "/*"] {
      #expect(reading("OPTIONS \(target)").head?.target.path != "*")
    }
  }
}
