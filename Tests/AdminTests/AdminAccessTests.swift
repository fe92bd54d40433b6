import LibUV
import Testing

@testable import Admin

/// Who may see the pages.
@Suite struct AdminAccessTests {
  private func status(
    host: String? = "127.0.0.1:9000", origin: String? = nil, site: String? = nil,
    at address: SocketAddress = .tcp(host: "127.0.0.1", port: 9000)
  ) -> HTTPStatus? {
    var options = AdminOptions(address)
    options.hosts = ["Gateway.example"]
    var request = HTTPRequest()
    request.host = host.flatMap { HTTPHost($0) }
    #expect((request.host == nil) == (host == nil))
    request.origin = origin
    request.fetchSite = site
    return AdminAccess(options).fault(of: request)?.status
  }

  @Test(arguments: [
    "127.0.0.1", "127.0.0.1:9000", "192.0.2.7:80", "[::1]", "[2001:db8::1]:80", "localhost", "LOCALHOST:1",
    "gateway.example", "GATEWAY.example:443",
  ])
  func `an address, localhost or a name of the configuration may be asked for`(host: String) {
    #expect(status(host: host) == nil)
  }

  @Test(arguments: [
    "example.org", "127.0.0.1.example.org", "localhost.", "localhost.example.org", "a.gateway.example",
    "127.1", "0x7f.0.0.1", "1.2.3.256", "1.2.3.4.5", "1.2.3.", "", ":80", "1234",
  ])
  func `another name may have been made to lead here`(host: String) {
    #expect(status(host: host) == .misdirected)
    #expect(status(host: host, at: .unix(path: "/a")) == nil)
  }

  @Test func `no browser leaves the host out`() {
    #expect(status(host: nil) == nil)
    #expect(status(host: nil, origin: "http://a") == .forbidden)
  }

  @Test(arguments: [
    "http://127.0.0.1", "http://127.0.0.1:9001", "https://127.0.0.1:9000", "null", "",
    "http://example.org", "http://127.0.0.1:9000.example.org", "http://127.0.0.1:9000/",
  ])
  func `a page of another origin must not ask`(origin: String) {
    #expect(status(origin: origin) == .forbidden)
    #expect(status(origin: origin, at: .unix(path: "/a")) == .forbidden)
  }

  @Test func `the page's own origin may, and whoever types the address`() {
    #expect(status(origin: "http://127.0.0.1:9000", site: "same-origin") == nil)
    #expect(status(host: "LocalHost:1", origin: "http://localhost:1") == nil)
    #expect(status(site: "none") == nil)
    #expect(status(site: "cross-site") == .forbidden)
    #expect(status(site: "same-site") == .forbidden)
  }
}
