import Addresses
import HTTP1
import LibUV
import Testing

@testable import Admin

/// Who may see the pages.
@Suite struct AdminAccessTests {
  private func status(
    host: String? = "127.0.0.1:9000", origin: String? = nil, site: String? = nil,
    at address: SocketAddress = .tcp(host: "127.0.0.1", port: 9000)
  ) throws -> HTTPStatus? {
    var options = AdminOptions(address)
    options.hosts = ["Gateway.example"]
    let fields = [("Host", host), ("Origin", origin), ("Sec-Fetch-Site", site)]
    let lines = fields.compactMap { name, value in value.map { "\(name): \($0)\r\n" } }
    var reader = FedReader()
    reader.feed("GET / HTTP/1.0\r\n\(lines.joined())\r\n".utf8)
    let request = try #require(reader.requests.first)
    #expect((request.host == nil) == (host == nil))
    return AdminAccess(options).fault(of: request)?.status
  }

  @Test(arguments: [
    "127.0.0.1", "127.0.0.1:9000", "192.0.2.7:80", "[::1]", "[2001:db8::1]:80", "localhost", "LOCALHOST:1",
    "gateway.example", "GATEWAY.example:443",
  ])
  func `an address, localhost or a name of the configuration may be asked for`(host: String) throws {
    #expect(try status(host: host) == nil)
  }

  @Test(arguments: [
    "example.org", "127.0.0.1.example.org", "localhost.", "localhost.example.org", "a.gateway.example",
    "127.1", "0x7f.0.0.1", "1.2.3.256", "1.2.3.4.5", "1.2.3.", "", ":80", "1234",
  ])
  func `another name may have been made to lead here`(host: String) throws {
    #expect(try status(host: host) == .misdirected)
    #expect(try status(host: host, at: .unix(path: "/a")) == nil)
  }

  @Test func `no browser leaves the host out`() throws {
    #expect(try status(host: nil) == nil)
    #expect(try status(host: nil, origin: "http://a") == .forbidden)
  }

  @Test(arguments: [
    "http://127.0.0.1", "http://127.0.0.1:9001", "https://127.0.0.1:9000", "null", "",
    "http://example.org", "http://127.0.0.1:9000.example.org", "http://127.0.0.1:9000/",
  ])
  func `a page of another origin must not ask`(origin: String) throws {
    #expect(try status(origin: origin) == .forbidden)
    #expect(try status(origin: origin, at: .unix(path: "/a")) == .forbidden)
  }

  @Test func `the page's own origin may, and whoever types the address`() throws {
    #expect(try status(origin: "http://127.0.0.1:9000", site: "same-origin") == nil)
    #expect(try status(host: "LocalHost:1", origin: "http://localhost:1") == nil)
    #expect(try status(origin: "https://127.0.0.1:9000", site: "same-origin") == nil, "behind TLS")
    #expect(try status(origin: "https://127.0.0.1:9001", site: "same-origin") == .forbidden)
    #expect(try status(site: "none") == nil)
    #expect(try status(site: "cross-site") == .forbidden)
    #expect(try status(site: "same-site") == .forbidden)
  }
}
