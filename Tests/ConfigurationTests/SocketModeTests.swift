import Testing

@testable import Configuration

/// Who may connect to a Unix socket.
@Suite struct SocketModeTests {
  private func listener(_ settings: String) -> String { "[[listen]]\n\(settings)\n" }

  @Test(arguments: [("0600", 0o600), ("660", 0o660), ("0777", 0o777)])
  func `a mode is read as chmod reads it`(text: String, bits: UInt32) throws {
    let read = try configuration(listener("address = 'unix:/a'\nmode = '\(text)'"))
    #expect(read.listeners[0].mode?.bits == bits)
    #expect(SettingList.text(of: read, showsOrigins: false).contains("mode = \"0\(text.suffix(3))\""))
  }

  @Test func `without one it is the owner's alone`() throws {
    #expect(try configuration(listener("address = 'unix:/a'")).listeners[0].mode == nil)
  }

  @Test(arguments: ["", "60", "06000", "1777", "0068", "-600", "+600", "0x18", "u=rw", "0060", "0400"])
  func `what is none is refused`(text: String) {
    let complaints = complaints(listener("address = 'unix:/a'\nmode = '\(text)'"))
    #expect(complaints.count == 1 && complaints[0].contains("'mode' must be octal digits"))
  }

  @Test func `at a port it would say nothing`() {
    let text = listener("address = '127.0.0.1:1'\nmode = '0600'")
    #expect(complaints(text).first?.contains("'mode' says nothing without a unix: address") == true)
  }

  @Test func `it takes a restart`() throws {
    let started = try configuration(listener("address = 'unix:/a'"))
    let later = try configuration(listener("address = 'unix:/a'\nmode = '0660'"))
    #expect("\(later.lastingChanges(since: started))".contains("'mode' changes with a restart only"))
  }
}
