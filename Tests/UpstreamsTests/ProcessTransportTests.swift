import LibUV
import Testing
import Upstreams

@Suite struct ProcessTransportTests {
  /// Runs a child until it has ended by itself, or the test ends the scene.
  private func scene(
    of command: ChildCommand, _ action: (TransportScene, ProcessTransport) -> Void = { _, _ in }
  ) throws -> TransportScene {
    let scene = try TransportScene()
    let transport = ProcessTransport(TransportScene.id, command, on: scene.loop)
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
    #expect(scene.events.isEmpty)
    scene.run()
    return scene
  }

  private func shell(
    _ script: String, graceMilliseconds: UInt64 = 60_000,
    _ action: (TransportScene, ProcessTransport) -> Void = { _, _ in }
  ) throws -> TransportScene {
    var command = ChildCommand(["sh", "-c", script])
    command.graceMilliseconds = graceMilliseconds
    return try scene(of: command, action)
  }

  @Test func `what is written to it comes back from a child that gives it back`() throws {
    let scene = try scene(of: ChildCommand(["cat"])) { scene, transport in
      #expect(transport.name == "cat" && transport.write("too early\n") == 0)
      scene.onEvent { event in
        if event == .connected { #expect(transport.write("{}\n") == 3) }
      }
      scene.onReceived { scene.end() }
    }
    #expect(scene.text == "{}\n" && scene.events == [.connected])
  }

  @Test func `those that are to start at the same time do so one after the other`() throws {
    let scene = try TransportScene()
    let transports = (0..<5).map { _ in
      ProcessTransport(TransportScene.id, ChildCommand(["cat"]), on: scene.loop)
    }
    var times: [UInt64] = []
    scene.onEvent { [unowned scene] event in
      #expect(event == .connected)
      times.append(scene.loop.nowMilliseconds)
      if times.count == transports.count { scene.end() }
    }
    scene.atEnd {
      for transport in transports {
        transport.killNow()
        transport.disconnect()
        transport.delegate = nil
      }
    }
    for transport in transports {
      transport.delegate = scene
      transport.connect()
    }
    scene.run()
    #expect(Set(times).count == transports.count, "\(times)")
  }

  @Test func `what cannot be started is lost, and says why`() throws {
    let none = "lastword-no-such-program"
    #expect(
      try scene(of: ChildCommand([none, "--stdio"])).events == [
        .disconnected("cannot start \(none): no such file or directory")
      ])
    #expect(
      try scene(of: ChildCommand(["cat"], directory: "/\(none)")).events == [
        .disconnected("cannot start cat in /\(none): no such file or directory")
      ])
    #expect(try scene(of: ChildCommand(["/"])).events == [.disconnected("cannot start /: permission denied")])
    #expect(
      try scene(of: ChildCommand([])).events == [.disconnected("cannot start a program: invalid argument")])
  }

  @Test func `its last words come before its end`() throws {
    let scene = try shell("echo '{}'; echo one >&2; printf two >&2; exit 3")
    #expect(scene.text == "{}\n")
    #expect(scene.events == [.connected, .said("one"), .said("two"), .disconnected("exited with status 3")])
  }

  @Test func `it starts where and with what it is told`() throws {
    let command = ChildCommand(["sh", "-c", "pwd; echo $A"], directory: "/", environment: ["A=b"])
    #expect(try scene(of: command).text == "/\nb\n")
  }

  @Test func `the signal that killed it is told`() throws {
    #expect(try shell("kill -9 $$").events == [.connected, .disconnected("killed by signal 9")])
  }

  @Test func `one that closes its output has its grace to exit`() throws {
    let exited = try shell("exec >&-; exit 4")
    #expect(exited.events.last == .disconnected("exited with status 4"))
    let stayed = try shell("exec >&-; trap '' TERM; sleep 1000", graceMilliseconds: 20)
    #expect(stayed.events.last == .disconnected("closed its standard output"))
  }

  @Test func `one that closes its input is lost when something is written`() throws {
    let scene = try shell("exec <&-; echo ready; sleep 1000", graceMilliseconds: 20) { scene, transport in
      // What another test is just starting has a copy of the pipe's other end for a moment.
      func writeUntilItFails() {
        if scene.events.count == 1 {
          transport.write("{}\n")
          scene.after(milliseconds: 1) { writeUntilItFails() }
        }
      }
      scene.onReceived { writeUntilItFails() }
    }
    #expect(scene.events == [.connected, .disconnected("closed its standard input")])
  }

  @Test func `a write to one that is dead harms nobody`() throws {
    let scene = try shell("exit 0") { scene, transport in
      let turnEnd = scene.loop.addTurnEnd { transport.write("anybody there?\n") }
      scene.atEnd { scene.loop.removeTurnEnd(turnEnd) }
    }
    #expect(scene.events.last == .disconnected("exited with status 0"))
  }

  @Test func `everything that it started is gone with it`() throws {
    let scene = try shell("sleep 1000 & echo $!; sleep 1000 & echo $!; kill -9 $$") { scene, _ in
      scene.onEvent { [unowned scene] event in
        guard case .disconnected = event else { return }
        let grandchildren = scene.text.split(separator: "\n")
        scene.when({ !grandchildren.contains(where: isRunning) }, { scene.end() })
      }
    }
    #expect(scene.text.split(separator: "\n").count == 2)
  }

  @Test func `its output being held by one that left its group does not keep it`() throws {
    let scene = try shell("setsid sleep 5 & exit 6")
    #expect(scene.events.last == .disconnected("exited with status 6"))
  }

  @Test func `it can be started again and again`() throws {
    let scene = try shell("echo again; exit 1") { scene, transport in
      scene.onEvent { event in
        guard case .disconnected = event else { return }
        if scene.events.count < 6 { transport.connect() } else { scene.end() }
      }
    }
    #expect(scene.text == "again\nagain\nagain\n")
    let once: [TransportEvent] = [.connected, .disconnected("exited with status 1")]
    #expect(scene.events == once + once + once)
  }
}
