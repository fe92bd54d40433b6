import Glibc
import LibUV
import Testing

@Suite struct SignalSourceTests {
  @Test func `a signal is heard once on the loop`() throws {
    let scene = try Scene()
    var heard = 0
    let source = try SignalSource(on: scene.loop, signal: SIGUSR1) { [unowned scene] in
      heard += 1
      // Time for a second one to come, which must not.
      scene.after(milliseconds: 5) { scene.end() }
    }
    scene.atEnd { source.close() }
    scene.after(milliseconds: 0) { raise(SIGUSR1) }
    scene.run()
    #expect(heard == 1)
    source.close()
  }

  @Test func `a signal that cannot be caught is an error`() throws {
    let loop = try EventLoop()
    let error = #expect(throws: UVError.self) { try SignalSource(on: loop, signal: SIGKILL) {} }
    #expect(error?.name == "EINVAL")
  }
}
