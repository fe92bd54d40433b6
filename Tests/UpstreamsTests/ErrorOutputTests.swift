import GatewayCore
import JSONRPC
import LibUV
import TaskStore
import Testing
import Upstreams

/// What becomes of a child's standard error.
@Suite struct ErrorOutputTests {
  private func scene(
    of arguments: [String], _ action: (TransportScene, ProcessTransport) -> Void = { _, _ in }
  ) throws -> TransportScene {
    let scene = try TransportScene()
    let transport = ProcessTransport(TransportScene.id, ChildCommand(arguments), on: scene.loop)
    transport.delegate = scene
    scene.atEnd {
      transport.killNow()
      transport.disconnect()
      transport.delegate = nil
    }
    scene.onEvent { [unowned scene] event in
      if case .disconnected = event { scene.end() }
    }
    action(scene, transport)
    transport.connect()
    scene.run()
    return scene
  }

  @Test func `its lines are passed on, without their ends`() throws {
    let scene = try scene(of: ["printf", #"one\r\n\n\r\n two \r \nthree"#])
    #expect(scene.lines == [] && scene.text == "one\r\n\n\r\n two \r \nthree")
    let errors = try self.scene(of: ["sh", "-c", #"printf 'one\r\n\n\r\n two \r \nthree' >&2"#])
    #expect(errors.lines == ["one", " two \r ", "three"] && errors.text == "")
  }

  @Test func `of a long line the beginning is passed on`() throws {
    let script = #"printf '%0100000d\nnext\n%01024d\n' 0 0 >&2"#
    let scene = try scene(of: ["sh", "-c", script])
    let zeros = String(repeating: "0", count: 1024)
    #expect(scene.lines == [zeros, "next", zeros])
  }

  @Test func `what is no UTF-8 is repaired`() throws {
    let scene = try scene(of: ["sh", "-c", #"printf 'a\377b\303\251\n' >&2"#])
    #expect(scene.lines == ["a\u{FFFD}bé"])
  }

  @Test func `of a flood a hundred lines a second are passed on, the others are counted`() throws {
    let count = 200_000
    var seconds = 1
    let scene = try scene(of: ["sh", "-c", "seq \(count) >&2"]) { scene, _ in
      let started = scene.loop.nowMilliseconds
      scene.onEvent { event in
        guard case .disconnected = event else { return }
        seconds = Int(scene.loop.nowMilliseconds - started) / 1_000 + 1
        scene.end()
      }
    }
    let skipped = scene.lines.compactMap { (line: String) -> Int? in
      line.hasPrefix("… ") ? Int(line.dropFirst(2).prefix { $0 != " " }) : nil
    }
    let said = scene.lines.filter { !$0.hasPrefix("…") }
    #expect(said.count + skipped.reduce(0, +) == count)
    #expect(Array(said.prefix(100)) == (1...100).map(String.init))
    #expect(said.count <= 100 * (seconds + 1) && skipped.count <= seconds + 1)
  }

  @Test func `many children of an upstream say no more than one`() throws {
    let scene = try TransportScene()
    let budget = LineBudget()
    let departing = DepartingChildren()
    let wire = DedicatedTransport.Wire(framing: .lines, toleratesNoise: true)
    let bounds = TransportBounds(
      messageLimitBytes: 1_000, connectMilliseconds: TransportScene.watchdogMilliseconds,
      connectingLimit: 100)
    let transport = DedicatedTransport(TransportScene.id, name: "loud", wire, bounds, on: scene.loop) {
      ProcessTransport(
        $0, ChildCommand(["sh", "-c", "seq 90 >&2"]), on: scene.loop, departing: departing, budget: budget)
    }
    transport.delegate = scene
    scene.atEnd {
      transport.disconnect()
      transport.delegate = nil
      departing.killAll()
    }
    let started = scene.loop.nowMilliseconds
    var failures = 0
    var seconds: UInt64 = 1
    scene.onEvent { [unowned scene] event in
      guard case .failed = event else { return }
      failures += 1
      guard failures == 20 else { return }
      seconds = (scene.loop.nowMilliseconds - started) / 1_000 + 1
      scene.end()
    }
    for number in 1...20 {
      let task = TaskID(rawValue: UInt64(number))
      transport.begin(Exchange(task: task, remainingMilliseconds: 60_000, traceparent: []), Array("{}".utf8))
    }
    scene.run()
    #expect(scene.lines.filter { !$0.hasPrefix("…") }.count <= 100 * (Int(seconds) + 1))
  }

  @Test func `how many were skipped is said when the flood is over, not only at the next line`() throws {
    let scene = try scene(of: ["sh", "-c", "seq 101 >&2; cat"]) { scene, _ in
      scene.onEvent { event in
        if case .said("… 1 line skipped") = event { scene.end() }
      }
    }
    #expect(scene.lines.count == 101)
  }

  @Test func `a flood keeps nobody from being answered`() throws {
    let scene = try scene(of: ["sh", "-c", "yes flood >&2 & cat"]) { scene, transport in
      var asked = 0
      func ask() {
        asked += 1
        if asked > 100 { scene.end() } else { transport.write("{}\n") }
      }
      scene.onEvent { if $0 == .said("flood"), asked == 0 { ask() } }
      scene.onReceived { ask() }
    }
    #expect(scene.text == String(repeating: "{}\n", count: 100))
  }
}
