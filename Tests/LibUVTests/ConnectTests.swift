import Addresses
import Glibc
import Testing

@testable import LibUV

@Suite struct ConnectTests {
  /// Connects to `address` and returns why it failed.
  private func failure(connectingTo address: SocketAddress) throws -> UVError? {
    let scene = try Scene()
    var error: UVError?
    var isInsideConnect = true
    ByteStream.connect(to: address, on: scene.loop) { [unowned scene] result in
      #expect(!isInsideConnect)
      if case .failure(let reason) = result { error = reason }
      scene.end()
    }
    isInsideConnect = false
    scene.run()
    return error
  }

  @Test func `a port where nobody listens refuses`() throws {
    let scene = try Scene()
    let address = try scene.listen { _ in }.address
    scene.end()
    scene.run()
    #expect(try failure(connectingTo: address)?.name == "ECONNREFUSED")
  }

  @Test func `an attempt that is given up counts as one that took too long`() throws {
    let scene = try Scene()
    let address = try scene.listen { _ in }.address
    var names: [String] = []
    let attempt = ByteStream.connect(to: address, on: scene.loop) { [unowned scene] result in
      if case .failure(let error) = result { names.append(error.name) } else { names.append("connected") }
      scene.end()
    }
    // It has no address yet.
    attempt.giveUp()
    #expect(names == [])
    attempt.turnEnded()
    attempt.giveUp()
    scene.run()
    #expect(names == ["ETIMEDOUT"])
  }

  /// Connects to whichever of `addresses` answers, the first of which is tried first, and returns its port.
  private func portConnected(ofAny addresses: [SocketAddress]) throws -> UInt16? {
    let scene = try Scene()
    var port: UInt16?
    let attempt = ConnectAttempt(to: addresses[0], on: scene.loop) { [unowned scene] result in
      switch result {
      case .success(let stream):
        port = stream.peerAddress.flatMap { $0.split(separator: ":").last }.flatMap { UInt16($0) }
        stream.close()
      case .failure(let error): Issue.record(error)
      }
      scene.end()
    }
    // Long before the kernel itself would give an address up.
    scene.after(milliseconds: 60_000) { [unowned scene] in
      Issue.record("no address was reached")
      attempt.cancel()
      scene.end()
    }
    attempt.connect(toAny: addresses.compactMap(raw))
    // That closes all else which it tried is seen by the loop's end.
    scene.run()
    return port
  }

  private func raw(_ address: SocketAddress) -> RawAddress? {
    guard case .tcp(let host, let port) = address else { return nil }
    return RawAddress(numericHost: host, port: port)
  }

  @Test(arguments: [1, 2, 10]) func `addresses that do not answer do not keep others from it`(silent: Int)
    throws
  {
    let silences = try (0..<silent).map { _ in try SilentAddress() }
    defer { for silence in silences { silence.close() } }
    let scene = try Scene()
    let answering = try scene.listen { $0.close() }
    let addresses = silences.map(\.address) + [answering.address]
    guard case .tcp(_, let port) = answering.address else { return }
    #expect(try portConnected(ofAny: addresses) == port)
    scene.end()
    scene.run()
  }

  @Test func `an address that refuses does not end what still waits for another`() throws {
    let silence = try SilentAddress()
    defer { silence.close() }
    let refusing = try Scene()
    let nobody = try refusing.listen { _ in }.address
    refusing.end()
    refusing.run()
    let scene = try Scene()
    var names: [String] = []
    let attempt = ConnectAttempt(to: nobody, on: scene.loop) { [unowned scene] result in
      if case .failure(let error) = result { names.append(error.name) } else { names.append("connected") }
      scene.end()
    }
    attempt.connect(toAny: [nobody, silence.address].compactMap(raw))
    // The refusal has come once a later connection has been refused.
    ByteStream.connect(to: nobody, on: scene.loop) { _ in
      #expect(names == [])
      attempt.giveUp()
    }
    scene.run()
    #expect(names == ["ETIMEDOUT"])
  }

  @Test func `an attempt can be cancelled while it tries several addresses`() throws {
    let silences = try (0..<2).map { _ in try SilentAddress() }
    defer { for silence in silences { silence.close() } }
    let scene = try Scene()
    let attempt = ConnectAttempt(to: silences[0].address, on: scene.loop) { _ in
      Issue.record("it was cancelled")
    }
    attempt.connect(toAny: silences.map(\.address).compactMap(raw))
    // Whether it has begun with the second by then or not, nothing of it may stay on the loop.
    scene.after(milliseconds: 2 * ConnectAttempt.pauseMilliseconds) { [unowned scene] in
      attempt.cancel()
      scene.end()
    }
    scene.run()
  }

  @Test func `a path where nobody listens fails`() throws {
    let directory = try TemporaryDirectory()
    #expect(try failure(connectingTo: directory.socket())?.name == "ENOENT")
  }

  @Test func `a path that is too long fails instead of being cut`() throws {
    let path = "/tmp/" + String(repeating: "x", count: 200)
    #expect(try failure(connectingTo: .unix(path: path))?.name == "ENAMETOOLONG")
  }

  @Test func `a loop stays for an attempt that fails at once`() throws {
    let loop = try EventLoop()
    var hasFailed = false
    ByteStream.connect(to: .unix(path: String(repeating: "x", count: 200)), on: loop) { _ in
      hasFailed = true
    }
    loop.run()
    #expect(hasFailed)
  }

  @Test func `an attempt begun while a turn ends does not wait for something else to happen`() throws {
    let scene = try Scene()
    var attempts = 0
    scene.atTurnEnd { [unowned scene] in
      attempts += 1
      guard attempts <= 3 else { return }
      ByteStream.connect(to: .unix(path: String(repeating: "x", count: 200)), on: scene.loop) { _ in
        if attempts >= 3 { scene.end() }
      }
    }
    scene.run()
  }

  @Test func `a name that cannot exist fails`() throws {
    // A label may have 63 characters: no server is asked for this one.
    let host = String(repeating: "x", count: 64) + ".invalid"
    #expect(try failure(connectingTo: .tcp(host: host, port: 1)) != nil)
  }

  @Test func `a zone may be a number, or a name`() throws {
    let loop = try EventLoop()
    for (zone, host) in [(UInt32(1), "fe80::1%lo"), (1, "fe80::1%1"), (7, "fe80::1%7"), (0, "fe80::1")] {
      let address =
        try RawAddress(numericHost: host, port: 80) ?? NameLookup.now(host: host, port: 80, on: loop)[0]
      let scope = address.withPointer {
        UnsafeRawPointer($0).loadUnaligned(as: sockaddr_in6.self).sin6_scope_id
      }
      #expect(scope == zone, "\(host)")
    }
  }

  @Test func `a name is looked up and its addresses tried in turn`() throws {
    let scene = try Scene()
    let listener = try scene.listen { [unowned scene] stream in scene.hear(stream).stream.write("hi") }
    guard case .tcp(_, let port) = listener.address else { return }
    scene.connect(to: .tcp(host: "localhost", port: port)) { [unowned scene] stream in
      let recorder = scene.hear(stream)
      recorder.onReceived = {
        #expect(recorder.text == "hi")
        scene.end()
      }
    }
    scene.run()
  }

  @Test(arguments: ["127.0.0.1", "localhost"])
  func `a cancelled attempt is never heard of again`(to host: String) throws {
    let scene = try Scene()
    let listener = try scene.listen { [unowned scene] in scene.hear($0) }
    guard case .tcp(_, let port) = listener.address else { return }
    for turnsBefore in 0..<3 {
      var isCancelled = false
      let attempt = ByteStream.connect(to: .tcp(host: host, port: port), on: scene.loop) { [unowned scene] in
        if isCancelled { Issue.record("it was cancelled") }
        if case .success(let stream) = $0 { scene.hear(stream) }
      }
      var turns = 0
      scene.atTurnEnd {
        if turns == turnsBefore {
          attempt.cancel()
          isCancelled = true
        }
        turns += 1
      }
    }
    scene.after(milliseconds: 20) { [unowned scene] in scene.end() }
    scene.run()
  }

  @Test func `an attempt can be cancelled while its connection is being made`() throws {
    let scene = try Scene()
    let listener = try scene.listen { [unowned scene] in scene.hear($0) }
    let attempt = ByteStream.connect(to: listener.address, on: scene.loop) { _ in
      Issue.record("it was cancelled")
    }
    // The first turn's end begins the attempt and then comes here.
    var hasBegun = false
    scene.atTurnEnd { [unowned scene] in
      guard !hasBegun else { return }
      hasBegun = true
      attempt.cancel()
      attempt.cancel()
      scene.after(milliseconds: 5) { scene.end() }
    }
    scene.run()
    #expect(hasBegun)
  }
}
