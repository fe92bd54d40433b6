import Glibc
import TestSupport
import Testing

/// What is said of a crash, where Swift's own reporter is installed.
@Suite struct CrashReportTests {
  /// The status, and whether what was said until then shows memory: an address, and the bytes that are there.
  private func crash(_ setting: String) throws -> (status: Int32?, showsMemory: Bool) {
    let gateway = try RunningGateway(environment: ["SWIFT_BACKTRACE": setting])
    gateway.program.signal(SIGSEGV)
    // Who was told of a crash, and not by a fault of its own, goes on behind the report.
    gateway.program.signal(SIGTERM)
    var showsMemory = false
    while let line = gateway.program.errorLine() {
      if line.contains("Registers") || line.contains(/0x[0-9a-f]+ +([0-9a-f]{2} ){8}/) { showsMemory = true }
    }
    return (gateway.program.exitStatus(), showsMemory)
  }

  @Test(arguments: ["", "enable=yes", "enable=yes,registers=all"])
  func `there is none that could show memory`(setting: String) throws {
    #expect(try crash(setting) == (-SIGSEGV, false))
  }

  @Test func `there may be one that was told to leave it out`() throws {
    #expect(try crash("enable=yes,registers=none").showsMemory == false)
  }
}
