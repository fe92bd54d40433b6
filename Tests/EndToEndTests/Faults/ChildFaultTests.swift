import TestSupport
import Testing

/// Starting a child fails, and it is tried again.
@Suite struct ChildFaultTests {
  @Test(arguments: [
    ("clone,clone3,fork,vfork", "EAGAIN"), ("clone,clone3,fork,vfork", "ENOMEM"),
    ("socketpair,pipe2", "EMFILE"),
    ("socketpair,pipe2", "ENFILE"),
  ])
  func `a child that cannot be started is started later`(names: String, error: String) throws {
    // Which of the calls is the first is known of one thread.
    let scene = try UpstreamScene(.exec, environment: RunningGateway.oneLoop)
    // Before any other connection, which would still be closing.
    #expect(try scene.client.isInStep())
    let descriptors = try scene.gateway.connectionDescriptors()
    try scene.expectServed(1)
    let faults = try SystemCallFaults(
      names, "error=\(error):when=1..3", on: scene.gateway, in: scene.directory)
    try scene.ask(2, "die")
    let lost = try scene.client.reply()
    #expect(lost.id == 2 && lost.code == -32084 && lost.upstream == "mayHaveCompleted")
    try expectEventually("it has failed") { try faults.faultCount() == 3 }
    // The same reason is not told again.
    try scene.gateway.awaitLog("cannot reach upstream")
    try scene.expectServed(3)
    try faults.end()
    try scene.expectServed(4)
    try expectEventually("all descriptors are closed") {
      try scene.gateway.connectionDescriptors() == descriptors
    }
    #expect(try scene.gateway.children().count == 1)
    try scene.expectNothingRepeated()
    #expect(scene.gateway.stop() == 0)
  }
}
