import GatewayCore
import HTTP1
import Testing

@testable import Gateway

/// Whose pages may come, and what browsers are told.
@Suite struct BrowserPolicyTests {
  private static let app = "https://app.example.com"

  private func policy(_ origins: [String] = [app], isUnix: Bool = false) -> BrowserPolicy {
    var clients = ClientProtocols()
    clients.origins = origins
    clients.hosts = ["gateway.example"]
    return BrowserPolicy(clients, isUnix: isUnix)
  }

  private func request(_ fields: String, method: String = "POST") throws -> HTTPRequestHead {
    let bytes = Array("\(method) / HTTP/1.0\r\n\(fields)\r\n".utf8)
    var reader = HTTPRequestReader(methods: ["GET", "POST", "OPTIONS"])
    var offset = 0
    guard case .head(let head) = reader.next(in: bytes.span, count: bytes.count, from: &offset) else {
      Issue.record("no head: \(fields)")
      throw HTTPFault(.badRequest, "")
    }
    return head
  }

  private func status(_ fields: String, by policy: BrowserPolicy) throws -> HTTPStatus? {
    let request = try request(fields)
    do throws(HTTPFault) {
      _ = try policy.origin(of: request)
      return nil
    } catch {
      #expect(!error.reason.isEmpty)
      return error.status
    }
  }

  private func names(_ fields: [(String, String)]) -> [String] { fields.map(\.0) }

  private func value(_ name: String, of fields: [(String, String)]) -> String? {
    let found = fields.filter { $0.0 == name }
    #expect(found.count <= 1, "\(name)")
    return found.first?.1
  }

  // MARK: Hosts

  @Test(arguments: [
    "127.0.0.1", "127.0.0.1:5278", "192.0.2.7:80", "[::1]", "[2001:db8::1]:80", "localhost", "LOCALHOST:1",
    "gateway.example", "GATEWAY.example:443",
  ])
  func `an address, localhost or a name of the configuration may be asked for`(host: String) throws {
    #expect(try status("Host: \(host)\r\n", by: policy()) == nil)
  }

  @Test(arguments: [
    "example.org", "127.0.0.1.example.org", "localhost.", "localhost.example.org", "a.gateway.example",
    "gateway.example.", "127.1", "0x7f.0.0.1", "1.2.3.256", "", ":80", "app.example.com",
  ])
  func `another name may have been made to lead here, even that of a page which may come`(host: String) throws
  {
    #expect(try status("Host: \(host)\r\n", by: policy()) == .misdirected)
    #expect(try status("Host: \(host)\r\nOrigin: \(Self.app)\r\n", by: policy()) == .misdirected)
    #expect(try status("Host: \(host)\r\n", by: policy(["*"])) == .misdirected)
    #expect(try status("Host: \(host)\r\n", by: policy(isUnix: true)) == nil)
  }

  @Test func `the host of a whole URL counts, not the field`() throws {
    let bytes = Array("POST http://example.org/ HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
    var reader = HTTPRequestReader(methods: ["POST"])
    var offset = 0
    guard case .head(let head) = reader.next(in: bytes.span, count: bytes.count, from: &offset) else {
      Issue.record("no head")
      return
    }
    #expect(throws: HTTPFault.self) { try policy().origin(of: head) }
  }

  @Test func `no browser leaves the host out`() throws {
    #expect(try status("", by: policy()) == nil)
    #expect(try status("Origin: http://a\r\n", by: policy()) == .forbidden)
  }

  // MARK: Origins

  @Test(arguments: [
    app, "HTTPS://App.Example.com", "https://app.example.com:443", "https://app.example.com:0443",
  ])
  func `a page that is named may come`(origin: String) throws {
    let found = try policy().origin(of: request("Origin: \(origin)\r\n"))
    #expect(found?.text == Self.app)
    #expect(try status("Origin: \(origin)\r\n", by: policy([])) == .forbidden)
  }

  @Test(arguments: [
    "http://app.example.com", "https://app.example.com:8443", "https://app.example.com.",
    "https://example.com",
    "https://a.app.example.com", "https://app.example.com.evil.example", "https://app.example.com/",
    "https://app.example.com@evil.example", "https://user@app.example.com", "https://app.example.com:",
    "https://app.example.com:0", "https://app.example.com:65979", "https:app.example.com", "app.example.com",
    "https://app.example.com https://app.example.com", "https://app.example.com, https://app.example.com",
    "null", "", "*", "https://", "://app.example.com", "https://app\u{212a}.example.com",
  ])
  func `a page of any other origin must not`(origin: String) throws {
    for policy in [policy(), policy(isUnix: true)] {
      #expect(try status("Origin: \(origin)\r\n", by: policy) == .forbidden)
    }
  }

  @Test func `neither may our own origin, which may be one of another program`() throws {
    let fields = "Host: localhost:5278\r\nOrigin: http://localhost:5278\r\nSec-Fetch-Site: same-origin\r\n"
    #expect(try status(fields, by: policy()) == .forbidden)
    #expect(try status(fields, by: policy(["http://localhost:5278"])) == nil)
  }

  @Test func `where every origin may come null may not, nor what is none`() throws {
    #expect(try status("Origin: http://evil.example:81\r\n", by: policy(["*"])) == nil)
    for origin in ["null", "NULL", "", "*", "http://a/b", "http://a b"] {
      #expect(try status("Origin: \(origin)\r\n", by: policy(["*"])) == .forbidden, "\(origin)")
    }
  }

  @Test func `a field that stands there twice is refused`() throws {
    let twice = "Origin: \(Self.app)\r\nOrigin: \(Self.app)\r\n"
    #expect(try status(twice, by: policy()) == .badRequest)
    #expect(try status(twice, by: policy(["*"])) == .badRequest)
    #expect(try status("Sec-Fetch-Site: none\r\nSec-Fetch-Site: none\r\n", by: policy()) == .badRequest)
  }

  @Test(arguments: [
    ("cross-site", HTTPStatus.forbidden), ("same-site", .forbidden), ("Cross-Site", .forbidden),
    ("none", nil), ("same-origin", nil), ("", nil),
  ])
  func `where no origin is said the browser says whether it is another site's page`(
    site: String, expected: HTTPStatus?
  ) throws {
    for policy in [policy(), policy([]), policy(["*"]), policy(isUnix: true)] {
      #expect(try status("Sec-Fetch-Site: \(site)\r\n", by: policy) == expected)
    }
    #expect(try status("Origin: \(Self.app)\r\nSec-Fetch-Site: \(site)\r\n", by: policy()) == nil)
  }

  // MARK: What browsers are told

  private static let usual = ["X-Content-Type-Options", "Cache-Control", "Cross-Origin-Resource-Policy"]

  @Test func `a page that may come may read the answer, and nobody keeps it for another`() throws {
    let fields = policy().fields(for: HTTPOrigin(Self.app))
    #expect(
      names(fields)
        == ["Access-Control-Allow-Origin", "Vary", "Access-Control-Expose-Headers"] + Self.usual)
    #expect(value("Access-Control-Allow-Origin", of: fields) == Self.app)
    #expect(value("Vary", of: fields) == "Origin")
    #expect(value("Access-Control-Expose-Headers", of: fields) == "Retry-After")
    #expect(value("X-Content-Type-Options", of: fields) == "nosniff")
    #expect(value("Cache-Control", of: fields) == "no-store")
    #expect(value("Cross-Origin-Resource-Policy", of: fields) == "same-origin")
  }

  @Test func `nobody else is allowed anything`() {
    #expect(names(policy().fields(for: nil)) == ["Vary"] + Self.usual)
    #expect(names(policy(["*"]).fields(for: nil)) == ["Vary"] + Self.usual)
    #expect(names(policy([]).fields(for: nil)) == Self.usual)
  }

  @Test func `every page hears that it is every page`() {
    let fields = policy(["*"]).fields(for: HTTPOrigin("http://a"))
    #expect(value("Access-Control-Allow-Origin", of: fields) == "*")
  }

  // MARK: Preflights

  private static let preflight = "Origin: \(app)\r\nAccess-Control-Request-Method: POST\r\n"

  @Test func `a preflight is OPTIONS with an origin and a method`() throws {
    #expect(BrowserPolicy.isPreflight(try request(Self.preflight, method: "OPTIONS")))
    #expect(!BrowserPolicy.isPreflight(try request(Self.preflight)))
    for line in Self.preflight.split(separator: "\r\n") {
      #expect(!BrowserPolicy.isPreflight(try request("\(line)\r\n", method: "OPTIONS")))
    }
  }

  @Test func `it is answered with what is really taken`() throws {
    let request = try request(
      Self.preflight + "Access-Control-Request-Headers: content-type,x-other\r\n", method: "OPTIONS")
    let origin = try #require(try policy().origin(of: request))
    let fields = policy().preflightFields(of: request, for: origin)
    #expect(
      names(fields) == [
        "Access-Control-Allow-Origin", "Access-Control-Allow-Methods", "Access-Control-Allow-Headers",
        "Access-Control-Max-Age", "Vary",
      ] + Self.usual)
    #expect(value("Access-Control-Allow-Origin", of: fields) == Self.app)
    #expect(value("Access-Control-Allow-Methods", of: fields) == "POST")
    #expect(
      value("Access-Control-Allow-Headers", of: fields)
        == "authorization, content-type, lastword-session, accept")
    #expect(value("Access-Control-Max-Age", of: fields) == "600")
    #expect(
      value("Vary", of: fields)
        == "Origin, Access-Control-Request-Method, Access-Control-Request-Headers")
  }

  @Test func `into a private network leads only what was named`() throws {
    let field = "Access-Control-Allow-Private-Network"
    let asked = "Access-Control-Request-Private-Network: "
    for (value, isTold) in [("true", true), ("false", false), ("", false), ("true\r\n\(asked)true", false)] {
      let request = try request(Self.preflight + "\(asked)\(value)\r\n", method: "OPTIONS")
      let origin = try #require(try policy().origin(of: request))
      #expect(
        self.value(field, of: policy().preflightFields(of: request, for: origin)) == (isTold ? "true" : nil))
      #expect(self.value(field, of: policy(["*"]).preflightFields(of: request, for: origin)) == nil)
    }
  }

  @Test(arguments: [[], [app], ["*"]])
  func `credentials are never allowed`(origins: [String]) throws {
    let request = try request(Self.preflight, method: "OPTIONS")
    let origin = try #require(HTTPOrigin(Self.app))
    let policy = policy(origins)
    for fields in [
      policy.fields(for: nil), policy.fields(for: origin), policy.preflightFields(of: request, for: origin),
    ] {
      #expect(!names(fields).contains("Access-Control-Allow-Credentials"))
    }
  }
}
