import Testing
import Upstreams

/// What may be configured of an HTTP upstream.
@Suite struct HTTPEndpointTests {
  @Test(arguments: [
    ("http://a:1/b", "http://a:1/b"), ("https://u:p@a/b?key=s#x", "https://a/b"),
    ("http://a?key=s", "http://a"),
    ("http://a/b@c", "http://a/b@c"), ("http://u:p@q@a", "http://a"),
  ])
  func `its name holds no secrets`(url: String, name: String) {
    let endpoint = HTTPEndpoint(url: url, connections: 1)
    #expect(endpoint.name == name)
  }
}
