import Glibc
import LibUV
import TestSupport
import Testing

/// How children come to their end, and what is left of them.
@Suite struct ChildEndTests {
  @Test func `whatever it has started goes with it`() throws {
    // Nobody would see an end of its output while one of them is there.
    let child = try RunningChild.shell("sleep 1000 & (sleep 1000 & sleep 1000) & cat") { _, child in
      child.process.input.write("ready")
      child.output.onReceived = { child.process.input.close() }
    }
    #expect(child.exits == [.exited(status: 0)])
    #expect(child.output.ends == 1 && child.errors.ends == 1)
  }

  @Test func `it can be killed at once, with all that it has started`() throws {
    let child = try RunningChild.shell("trap '' TERM; sleep 1000 & echo ready; sleep 1000") { _, child in
      child.output.onReceived = { child.process.kill() }
    }
    #expect(child.exits == [.killed(signal: SIGKILL)])
  }

  @Test func `told to end, it can say its last words`() throws {
    let script = "trap 'echo bye; exit 7' TERM; echo ready; while :; do sleep 1000 & wait; done"
    let child = try RunningChild.shell(script) { _, child in
      child.output.onReceived = { child.process.terminate(graceMilliseconds: Scene.watchdogMilliseconds) }
    }
    #expect(child.output.text == "ready\nbye\n")
    #expect(child.exits == [.exited(status: 7)])
  }

  @Test func `what does not listen is killed after its grace`() throws {
    let graceMilliseconds: UInt64 = 50
    let child = try RunningChild.shell("trap '' TERM; echo ready; sleep 1000") { scene, child in
      child.output.onReceived = {
        scene.loop.updateTime()
        let told = scene.loop.nowMilliseconds
        child.process.terminate(graceMilliseconds: graceMilliseconds)
        child.process.terminate(graceMilliseconds: 0)
        child.output.onEnded = { [ended = child.output.onEnded] in
          #expect(scene.loop.nowMilliseconds >= told + graceMilliseconds)
          ended()
        }
      }
    }
    #expect(child.exits == [.killed(signal: SIGKILL)])
  }

  @Test func `a stopped one hears that it shall end`() throws {
    let child = try stopped { $0.terminate(graceMilliseconds: Scene.watchdogMilliseconds) }
    #expect(child.exits == [.killed(signal: SIGTERM)])
  }

  @Test func `a stopped one can be killed`() throws {
    let child = try stopped { $0.kill() }
    #expect(child.exits == [.killed(signal: SIGKILL)])
  }

  @Test func `after its exit it can be told anything`() throws {
    let child = try RunningChild.shell("exit 1")
    child.process.terminate(graceMilliseconds: 0)
    child.process.kill()
    #expect(child.exits == [.exited(status: 1)])
  }

  /// In a process of its own, because descriptors and children are the process's.
  @Test func `nothing is left of many, whether or not they could be started`() async {
    await #expect(processExitsWith: .success) {
      try RunningChild.shell("true")
      try await untilDispatchHasItsDescriptors()
      let before = openDescriptors()
      for _ in 0..<20 {
        try RunningChild.shell("sleep 1000 & exit 1")
        try RunningChild.run(["sleep", "1000"]) { _, child in child.process.kill() }
        precondition((try? RunningChild.run(["lastword-no-such-program"])) == nil)
      }
      precondition(openDescriptors() == before, "descriptors leak")
      precondition(waitpid(-1, nil, WNOHANG) == -1 && errno == ECHILD, "a zombie is left")
    }
  }

  @Test func `out of descriptors, nothing is started and nothing is left open`() async {
    await #expect(processExitsWith: .success) {
      try await untilDispatchHasItsDescriptors()
      let scene = try Scene()
      // What the loop itself needs it keeps.
      let first = try RunningChild(["true"], in: scene)
      first.onExit = { scene.loop.stop() }
      scene.loop.run()
      var limit = rlimit(rlim_cur: 64, rlim_max: 64)
      precondition(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
      // What the test was started with may lie beyond the limit.
      var hoard = (0..<64).map { _ in open("/dev/null", O_RDONLY | O_CLOEXEC) }.filter { $0 >= 0 }
      let all = openDescriptors()
      // Three pipes, and the one through which libuv hears of the start.
      for left in 0..<8 {
        precondition(ChildEndTests.startFailure(on: scene.loop) == "EMFILE", "with \(left) left")
        scene.after(milliseconds: 0) { scene.loop.stop() }
        scene.loop.run()
        precondition(openDescriptors() == all - left, "descriptors leak with \(left) left")
        close(hoard.removeLast())
      }
      scene.after(milliseconds: 0) { scene.end() }
      scene.run()
    }
  }

  /// Nil, or the error's name.
  private static func startFailure(on loop: EventLoop) -> String? {
    do throws(UVError) {
      _ = try ChildProcess(["cat"], on: loop, onExit: { _ in })
      return nil
    } catch {
      return error.name
    }
  }

  private func stopped(_ action: @escaping (ChildProcess) -> Void) throws -> RunningChild {
    try RunningChild.shell("echo $$; kill -STOP $$; sleep 1000") { scene, child in
      func actOnceStopped() {
        let isStopped = state(ofProcess: child.output.text.dropLast()) == "T"
        if isStopped { action(child.process) } else { scene.after(milliseconds: 1) { actOnceStopped() } }
      }
      child.output.onReceived = { actOnceStopped() }
    }
  }
}
