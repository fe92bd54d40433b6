import Addresses
import Testing

@Suite struct SocketAddressTests {
  @Test(arguments: [
    ("127.0.0.1:5278", SocketAddress.tcp(host: "127.0.0.1", port: 5278)),
    ("[::1]:0", .tcp(host: "::1", port: 0)),
    ("localhost:80", .tcp(host: "localhost", port: 80)),
    ("tcp:example.org:65535", .tcp(host: "example.org", port: 65535)),
    ("tcp:[fe80::1]:1", .tcp(host: "fe80::1", port: 1)),
    ("tcp:unix:80", .tcp(host: "unix", port: 80)),
    ("tcp:tcp:80", .tcp(host: "tcp", port: 80)),
    ("unix:/run/a.sock", .unix(path: "/run/a.sock")),
    ("unix:relative:1", .unix(path: "relative:1")),
  ])
  func `what is written is understood`(_ text: String, _ address: SocketAddress) {
    #expect(SocketAddress(parsing: text) == address)
  }

  @Test(arguments: [
    "", ":", ":80", "localhost", "localhost:", "localhost:x", "localhost:+80", "localhost:-1",
    "localhost:65536", "localhost:99999999999999999999", "::1:80", "[::1]", "[::1]80", "[nonsense]:80",
    "[127.0.0.1]:80", "a b:80", "a/b:80", "http://a:80", "unix:", "tcp:", "tcp:80", "unix:/a\0b", "a\0:80",
  ])
  func `what makes no sense is refused`(_ text: String) {
    #expect(SocketAddress(parsing: text) == nil)
  }

  @Test(arguments: ["127.0.0.1:5278", "[::1]:0", "localhost:80", "unix:/a b", "tcp:unix:80", "tcp:tcp:80"])
  func `an address describes itself as it was written`(_ text: String) {
    #expect(SocketAddress(parsing: text)?.description == text)
  }

  @Test(arguments: [
    ("127.0.0.1:1", true), ("127.9.9.9:1", true), ("[::1]:1", true), ("[::ffff:127.0.0.1]:1", true),
    ("localhost:1", true), ("unix:/a", true), ("126.0.0.1:1", false), ("0.0.0.0:1", false),
    ("[::]:1", false), ("[::2]:1", false), ("[1::1]:1", false), ("[::ffff:1.2.3.4]:1", false),
    ("127.1:1", false), ("localhost.example:1", false),
  ])
  func `what only this machine reaches is known`(_ text: String, _ isLocal: Bool) throws {
    #expect(try #require(SocketAddress(parsing: text)).isLocal == isLocal)
  }

  @Test(arguments: [
    ("0.0.0.0:1", "127.0.0.1:1"), ("[::]:1", "[::1]:1"), ("192.0.2.1:1", "192.0.2.1:1"),
    ("name:1", "name:1"), ("unix:/a", "unix:/a"),
  ])
  func `what listens everywhere is reached over loopback`(_ text: String, _ reachable: String) throws {
    #expect(try #require(SocketAddress(parsing: text)).reachable.description == reachable)
  }

  @Test(arguments: [
    ("127.0.0.1:1", "127.0.0.1:1", true), ("127.0.0.1:1", "127.0.0.1:2", false),
    ("127.0.0.1:0", "127.0.0.1:0", false),
    ("0.0.0.0:1", "127.0.0.1:1", true), ("10.0.0.1:1", "0.0.0.0:1", true), ("[::]:1", "[::1]:1", true),
    ("0.0.0.0:1", "[::1]:1", false), ("127.0.0.1:1", "127.0.0.2:1", false), ("unix:/a", "unix:/b", false),
    ("unix:a", "unix:./a", true), ("unix:/a/b", "unix:/a//./b", true), ("unix:/a", "unix:a", false),
    ("unix:/a", "a:1", false),
  ])
  func `where not both can listen is known`(_ text: String, _ other: String, _ collide: Bool) throws {
    let (one, another) = (
      try #require(SocketAddress(parsing: text)), try #require(SocketAddress(parsing: other))
    )
    #expect(one.collides(with: another) == collide && another.collides(with: one) == collide)
  }
}
