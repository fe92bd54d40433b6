import Glibc
import LibUV
import Testing

@Suite struct DatagramSenderTests {
  private func failure(_ send: () throws -> Void) -> String? {
    do {
      try send()
      return nil
    } catch { return (error as? UVError)?.name ?? "\(error)" }
  }

  @Test(arguments: [("/", "ENOENT"), ("@", "ECONNREFUSED")])
  func `a name is as long as the kernel has room for, and no longer`(first: String, reason: String) throws {
    // The first byte of an abstract name is no part of it.
    let longest = first + String(repeating: "x", count: first == "@" ? 107 : 106)
    let sender = try DatagramSender(to: longest)
    #expect(failure { try sender.send("nobody is there") } == reason)
    #expect(failure { _ = try DatagramSender(to: longest + "x") } == "ENAMETOOLONG")
  }

  @Test func `a receiver that does not read holds up nobody`() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/a"
    let receiver = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    defer { close(receiver) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let status = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(receiver, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try #require(status == 0)
    let sender = try DatagramSender(to: path)
    var (sent, reason) = (0, String?.none)
    while reason == nil && sent < 100_000 {
      reason = failure { try sender.send("\(sent)") }
      if reason == nil { sent += 1 }
    }
    #expect(reason == "EAGAIN" && sent > 0)
    var bytes = [UInt8](repeating: 0, count: 100)
    #expect(recv(receiver, &bytes, bytes.count, 0) == 1 && bytes[0] == UInt8(ascii: "0"))
    #expect(failure { try sender.send("there is room again") } == nil)
    sender.close()
    #expect(failure { try sender.send("forgotten") } == nil)
  }
}
