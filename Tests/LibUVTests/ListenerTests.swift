import Addresses
import Glibc
import LibUV
import Testing

@Suite struct ListenerTests {
  @Test func `a listener knows the port that the kernel gave`() throws {
    let scene = try Scene()
    let listener = try scene.listen { _ in }
    guard case .tcp("127.0.0.1", let port) = listener.address else {
      Issue.record("\(listener.address)")
      return
    }
    #expect(port != 0)
    scene.end()
    scene.run()
  }

  @Test func `a port in use is an error`() throws {
    let scene = try Scene()
    let first = try scene.listen { _ in }
    let error = #expect(throws: UVError.self) { try scene.listen(at: first.address) { _ in } }
    #expect(error?.name == "EADDRINUSE")
    scene.end()
    scene.run()
  }

  @Test func `an address of another machine is an error`() throws {
    let scene = try Scene()
    let error = #expect(throws: UVError.self) {
      try scene.listen(at: .tcp(host: "192.0.2.1", port: 0)) { _ in }
    }
    #expect(error?.name == "EADDRNOTAVAIL")
    scene.end()
    scene.run()
  }

  @Test func `a name can be listened at`() throws {
    let scene = try Scene()
    let listener = try scene.listen(at: .tcp(host: "localhost", port: 0)) { [unowned scene] stream in
      scene.hear(stream)
      scene.end()
    }
    scene.connect(to: listener.address) { [unowned scene] in scene.hear($0) }
    scene.run()
  }

  @Test func `every one of many connections is accepted`() throws {
    let scene = try Scene()
    let count = Listener.acceptsPerTurn * 3
    var accepted = 0
    let listener = try scene.listen { [unowned scene] stream in
      scene.hear(stream)
      accepted += 1
      if accepted == count { scene.end() }
    }
    for _ in 0..<count { scene.connect(to: listener.address) { [unowned scene] in scene.hear($0) } }
    scene.run()
    #expect(accepted == count)
  }

  @Test func `a listener can be closed from within its own accept`() throws {
    let scene = try Scene()
    var accepted = 0
    var listener: Listener?
    listener = try scene.listen { [unowned scene] stream in
      accepted += 1
      listener?.close()
      scene.hear(stream)
      scene.after(milliseconds: 5) { scene.end() }
    }
    let address = try #require(listener).address
    for _ in 0..<2 {
      ByteStream.connect(to: address, on: scene.loop) { [unowned scene] result in
        if case .success(let stream) = result { scene.hear(stream) }
      }
    }
    scene.run()
    #expect(accepted == 1)
  }

  @Test func `a path goes with its listener`() throws {
    let directory = try TemporaryDirectory()
    let scene = try Scene()
    let listener = try scene.listen(at: directory.socket()) { _ in }
    #expect(directory.exists())
    listener.close()
    #expect(!directory.exists())
    listener.close()
    scene.end()
    scene.run()
  }

  @Test func `a path that a dead process left is used again`() throws {
    let directory = try TemporaryDirectory()
    try leaveSocket(at: directory.socket())
    #expect(directory.exists())
    let scene = try Scene()
    let listener = try scene.listen(at: directory.socket()) { [unowned scene] stream in
      scene.hear(stream)
      scene.end()
    }
    scene.connect(to: listener.address) { [unowned scene] in scene.hear($0) }
    scene.run()
  }

  @Test func `a path where somebody listens is an error and stays`() throws {
    let directory = try TemporaryDirectory()
    let scene = try Scene()
    _ = try scene.listen(at: directory.socket()) { _ in }
    let error = #expect(throws: UVError.self) { try scene.listen(at: directory.socket()) { _ in } }
    #expect(error?.name == "EADDRINUSE")
    #expect(directory.exists())
    scene.end()
    scene.run()
  }

  @Test func `a file that is no socket is never removed`() throws {
    let directory = try TemporaryDirectory()
    Glibc.close(open("\(directory.path)/a", O_CREAT | O_WRONLY, 0o600))
    let scene = try Scene()
    let error = #expect(throws: UVError.self) { try scene.listen(at: directory.socket()) { _ in } }
    #expect(error == .fileExists)
    #expect(directory.exists())
    scene.end()
    scene.run()
  }

  @Test func `a zone that there is not is an error`() throws {
    let scene = try Scene()
    let error = #expect(throws: UVError.self) {
      try scene.listen(at: .tcp(host: "::1%nosuch", port: 0)) { _ in }
    }
    #expect(error?.name.hasPrefix("EAI_") == true)
    scene.end()
    scene.run()
  }

  @Test func `a path that became another listener's stays when the first one closes`() throws {
    let directory = try TemporaryDirectory()
    let scene = try Scene()
    let first = try scene.listen(at: directory.socket()) { _ in }
    rename("\(directory.path)/a", "\(directory.path)/b")
    _ = try scene.listen(at: directory.socket()) { _ in }
    first.close()
    #expect(directory.exists())
    scene.end()
    scene.run()
  }

  /// Binds a path and closes the socket without removing it, as a killed process does.
  private func leaveSocket(at address: SocketAddress) throws {
    let scene = try Scene()
    guard case .unix(let path) = address else { return }
    let listener = try scene.listen(at: .unix(path: path + "x")) { _ in }
    rename(path + "x", path)
    listener.close()
    scene.end()
    scene.run()
  }
}
