import Glibc
import LibUV
import TestSupport
import Testing
import Upstreams

/// How children leave that nobody needs any more.
@Suite struct DepartureTests {
  private static let directory = "/tmp/lastword-departures-\(getpid())"

  /// Disconnects once the child has said something; ends when the last child has left.
  private func departure(
    of script: String, _ edit: (inout ChildCommand) -> Void = { _ in }
  ) throws -> TransportScene {
    let scene = try TransportScene()
    let departing = DepartingChildren()
    var command = ChildCommand(["sh", "-c", script])
    command.graceMilliseconds = TransportScene.watchdogMilliseconds
    edit(&command)
    let transport = ProcessTransport(TransportScene.id, command, on: scene.loop, departing: departing)
    transport.delegate = scene
    scene.onReceived {
      transport.disconnect()
      #expect(!departing.isEmpty)
      scene.when({ departing.isEmpty }, { scene.end() })
    }
    scene.atEnd { transport.killNow() }
    transport.connect()
    scene.run()
    transport.delegate = nil
    // Of all that it did afterwards nobody has heard.
    #expect(scene.events == [.connected])
    return scene
  }

  /// What a child has left behind in a file; the file goes.
  private func trace(_ body: (_ path: String) throws -> Void) rethrows -> String {
    let path = "\(Self.directory)-\(UInt64.random(in: 0 ... .max))"
    try body(path)
    defer { _ = unsafe unlink(path) }
    guard let file = unsafe fopen(path, "r") else { return "" }
    defer { unsafe fclose(file) }
    var text = [UInt8](repeating: 0, count: 256)
    // No more is read than there is room for.
    let count = unsafe fread(&text, 1, text.count, file)
    return String(decoding: text[..<count], as: UTF8.self)
  }

  @Test func `one that leaves when its input ends is not disturbed`() throws {
    let left = try trace { path in
      _ = try departure(
        of: "trap 'echo disturbed > \(path); exit' TERM; echo ready; cat; echo left > \(path)")
    }
    #expect(left == "left\n")
  }

  @Test func `one that does not is asked to after its grace`() throws {
    let left = try trace { path in
      let script = "trap 'echo asked > \(path); exit' TERM; echo ready; while :; do sleep 1000 & wait; done"
      _ = try departure(of: script) { command in
        // Once for the end of its input; afterwards it is told in time.
        command.graceMilliseconds = 1_000
      }
    }
    #expect(left == "asked\n")
  }

  @Test func `one that does not listen either is killed after the same again`() throws {
    let scene = try departure(of: "trap '' TERM; echo $$; sleep 1000; sleep 1000") {
      $0.graceMilliseconds = 20
    }
    #expect(!isRunning(scene.text.dropLast()))
  }

  @Test func `one whose work is not wanted is asked at once`() throws {
    let left = try trace { path in
      let script = "trap 'echo asked > \(path); exit' TERM; echo ready; while :; do sleep 1000 & wait; done"
      _ = try departure(of: script) { $0.isStoppedAtOnce = true }
    }
    #expect(left == "asked\n")
  }

  @Test func `a stopped one leaves too`() throws {
    _ = try departure(of: "echo ready; kill -STOP $$; sleep 1000") { $0.isStoppedAtOnce = true }
  }

  @Test func `what it still says is not heard, and does not hold it up`() throws {
    let scene = try departure(of: "echo ready; cat; head -c 1000000 /dev/zero; seq 100000 >&2")
    #expect(scene.text == "ready\n")
  }

  @Test func `another can be started while it is leaving`() throws {
    let scene = try TransportScene()
    var command = ChildCommand(["sh", "-c", "trap '' TERM; echo $$; cat; sleep 1000"])
    command.graceMilliseconds = TransportScene.watchdogMilliseconds
    let transport = ProcessTransport(TransportScene.id, command, on: scene.loop)
    transport.delegate = scene
    var children: [Substring] = []
    scene.onReceived {
      children = scene.text.split(separator: "\n")
      if children.count == 1 {
        transport.disconnect()
        transport.connect()
      } else if children.count == 2 {
        #expect(children.allSatisfy(isRunning))
        transport.killNow()
      }
    }
    scene.onEvent { event in
      if case .disconnected = event { scene.when({ !children.contains(where: isRunning) }, { scene.end() }) }
    }
    transport.connect()
    scene.run()
    transport.delegate = nil
    #expect(scene.events == [.connected, .connected, .disconnected("killed by signal 9")])
  }

  @Test func `when too many are leaving the first of them is killed`() throws {
    let scene = try TransportScene()
    let departing = DepartingChildren(limit: 2)
    var command = ChildCommand(["sh", "-c", "echo $$; sleep 1000"])
    command.graceMilliseconds = TransportScene.watchdogMilliseconds
    let transport = ProcessTransport(TransportScene.id, command, on: scene.loop, departing: departing)
    transport.delegate = scene
    var children: [Substring] = []
    scene.onReceived {
      children = scene.text.split(separator: "\n")
      transport.disconnect()
      if children.count < 3 { return transport.connect() }
      scene.when({ !isRunning(children[0]) }) {
        #expect(children.dropFirst().allSatisfy(isRunning))
        departing.killAll()
        scene.when({ departing.isEmpty }, { scene.end() })
      }
    }
    transport.connect()
    scene.run()
    transport.delegate = nil
    #expect(children.count == 3 && !children.contains(where: isRunning))
  }

  @Test func `one that is not wanted before it has started is never started`() throws {
    let left = try trace { path in
      let scene = try TransportScene()
      let command = ChildCommand(["sh", "-c", "echo started > \(path)"])
      let transport = ProcessTransport(TransportScene.id, command, on: scene.loop)
      transport.delegate = scene
      transport.connect()
      transport.disconnect()
      scene.after(milliseconds: 1) { scene.end() }
      scene.run()
      transport.delegate = nil
      #expect(scene.events == [])
    }
    #expect(left == "")
  }

  /// In a process of its own, because descriptors and children are the process's.
  @Test func `nothing is left of many`() async {
    await #expect(processExitsWith: .success) {
      func runOne(_ script: String, thenWait: Bool) throws {
        let scene = try TransportScene()
        let departing = DepartingChildren()
        var command = ChildCommand(["sh", "-c", script])
        command.graceMilliseconds = 1
        let transport = ProcessTransport(TransportScene.id, command, on: scene.loop, departing: departing)
        transport.delegate = scene
        scene.onReceived {
          if !thenWait { transport.disconnect() }
          scene.when({ departing.isEmpty && (!thenWait || scene.events.count == 2) }, { scene.end() })
        }
        transport.connect()
        scene.run()
        transport.delegate = nil
      }
      try runOne("echo ready", thenWait: true)
      try await untilDispatchHasItsDescriptors()
      let before = openDescriptors()
      for _ in 0..<10 {
        try runOne("sleep 1000 & echo ready; exit 1", thenWait: true)
        try runOne("trap '' TERM; echo ready; sleep 1000", thenWait: false)
        try runOne("echo ready; cat", thenWait: false)
      }
      precondition(openDescriptors() == before, "descriptors leak")
      let child = waitpid(-1, nil, WNOHANG)
      precondition(child == -1 && errno == ECHILD, "a zombie is left")
    }
  }
}
