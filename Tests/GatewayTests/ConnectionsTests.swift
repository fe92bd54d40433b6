import GatewayCore
import LibUV
import TaskStore
import TestSupport
import Testing
import Upstreams

@testable import Gateway

@Suite struct ConnectionsTests {
  private static let client = ClientID(slot: 2)
  private static let upstream = UpstreamID(slot: 1)
  private static let hour: UInt64 = 3_600_000

  private let scene: LoopScene
  private let connections: Connections

  init() throws {
    scene = try LoopScene()
    connections = Connections(
      on: scene.loop, LingeringClose.Limits(openMilliseconds: 1, unsentMilliseconds: Self.hour))
  }

  /// Whoever is at the other end of a client's socket.
  private func addClient(_ client: ClientID = client, isHeard: Bool = true) throws -> (ByteStream, Peer) {
    let (stream, peer) = try scene.connection(isHeard: isHeard)
    stream.countsInFlight = true
    connections.add(.stream(stream), as: client)
    return (stream, peer)
  }

  private func write(_ bytes: [UInt8], to client: ClientID = client) -> Int {
    bytes.withUnsafeBytes { chunk in
      withUnsafePointer(to: chunk) { connections.write(UnsafeBufferPointer(start: $0, count: 1), to: client) }
    }
  }

  private func write(_ text: String, to client: ClientID = client) -> Int {
    write(Array(text.utf8), to: client)
  }

  private func write(_ text: String, to upstream: UpstreamID) -> Int {
    Array(text.utf8).withUnsafeBytes { chunk in
      withUnsafePointer(to: chunk) {
        connections.write(UnsafeBufferPointer(start: $0, count: 1), to: upstream)
      }
    }
  }

  private let much = [UInt8](repeating: UInt8(ascii: "x"), count: 16 * 1024 * 1024)

  // MARK: Clients

  @Test func `what is written to a client reaches its socket and no other`() throws {
    defer { scene.end() }
    let (_, peer) = try addClient()
    let (_, other) = try addClient(ClientID(slot: 5))
    #expect(write("for the third") == 13)
    #expect(write("for the sixth", to: ClientID(slot: 5)) == 13)
    scene.until { !peer.received.isEmpty && !other.received.isEmpty }
    #expect(peer.text == "for the third" && other.text == "for the sixth")
    connections.closeAll()
  }

  @Test func `a number that nobody has takes nothing`() throws {
    defer { scene.end() }
    _ = try addClient()
    let nobody = ClientID(slot: 0)
    #expect(write("lost", to: nobody) == 0)
    connections.setReading(true, from: nobody)
    connections.close(nobody)
    connections.drop(nobody)
    #expect(connections.heldByteCount(of: nobody) == 0)
    connections.closeAll()
  }

  @Test func `what the kernel has not taken is held for its client, before and behind the close`() throws {
    defer { scene.end() }
    let (_, peer) = try addClient(isHeard: false)
    let taken = write(much)
    let held = connections.heldByteCount(of: Self.client)
    #expect(held > 0 && connections.heldByteCount == held && connections.departing.isEmpty)
    connections.close(Self.client)
    #expect(connections.heldByteCount == held && connections.departing.map(\.byteCount) == [held])
    #expect(write("too late") == 0 && connections.heldByteCount(of: Self.client) == 0)
    peer.stream.startReading()
    scene.until { peer.hasHeardAll }
    #expect(peer.received.count == taken && peer.hasEnded)
    #expect(connections.heldByteCount == 0 && connections.departing.isEmpty)
  }

  @Test func `a client that is dropped loses what was held for it`() throws {
    defer { scene.end() }
    let (_, peer) = try addClient(isHeard: false)
    let taken = write(much)
    connections.drop(Self.client)
    #expect(connections.heldByteCount == 0 && connections.departing.isEmpty)
    peer.stream.startReading()
    scene.until { peer.hasHeardAll }
    #expect(peer.received.count < taken)
  }

  @Test func `one that departs can be dropped, too`() throws {
    defer { scene.end() }
    let (_, peer) = try addClient(isHeard: false)
    let taken = write(much)
    connections.close(Self.client)
    connections.drop(try #require(connections.departing.first))
    #expect(connections.heldByteCount == 0 && connections.departing.isEmpty)
    peer.stream.startReading()
    scene.until { peer.hasHeardAll }
    #expect(peer.received.count < taken)
  }

  @Test func `a client's number is free again once it is closed`() throws {
    defer { scene.end() }
    let (_, peer) = try addClient()
    #expect(write("first") == 5)
    connections.close(Self.client)
    let (_, next) = try addClient()
    #expect(write("second") == 6)
    scene.until { peer.hasHeardAll && next.text == "second" }
    #expect(peer.text == "first" && peer.hasEnded)
    connections.closeAll()
  }

  @Test func `a client is read from only while it is to be`() throws {
    defer { scene.end() }
    let (stream, peer) = try addClient()
    let heard = Peer(stream)
    peer.stream.write("early")
    scene.turns(20)
    #expect(heard.received.isEmpty)
    connections.setReading(true, from: Self.client)
    scene.until { heard.text == "early" }
    connections.setReading(false, from: Self.client)
    peer.stream.write("late")
    scene.turns(20)
    #expect(heard.text == "early")
    connections.closeAll()
  }

  @Test func `who is refused hears why, and that is all`() throws {
    defer { scene.end() }
    let (stream, peer) = try scene.connection()
    connections.refuse(.stream(stream))
    scene.until { peer.hasHeardAll }
    #expect(peer.hasEnded && peer.text.contains("too many connections") && peer.text.hasSuffix("\n"))
  }

  @Test func `at the end of all a client that reads nothing is not waited for long`() throws {
    defer { scene.end() }
    let (stream, _) = try addClient(isHeard: false)
    var isClosed = false
    stream.onClose = { isClosed = true }
    #expect(write(much) < much.count)
    connections.closeAll()
    scene.until { isClosed }
    #expect(connections.heldByteCount == 0)
  }

  @Test func `another transport is told the same as a socket`() throws {
    defer { scene.end() }
    let transport = ClientTransportDouble(roomBytes: 7)
    connections.add(.transport(transport), as: Self.client)
    #expect(write("0123456789") == 7 && transport.text == "0123456")
    #expect(connections.heldByteCount(of: Self.client) == 7)
    connections.setReading(false, from: Self.client)
    connections.setReading(true, from: Self.client)
    connections.close(Self.client)
    connections.close(Self.client)
    #expect(transport.calls == [.reading(false), .reading(true), .closed])
    let (dropped, refused, last) = (ClientTransportDouble(), ClientTransportDouble(), ClientTransportDouble())
    connections.add(.transport(dropped), as: Self.client)
    connections.drop(Self.client)
    #expect(dropped.calls == [.dropped])
    connections.refuse(.transport(refused))
    #expect(refused.calls == [.closed] && refused.text.contains("too many connections"))
    connections.add(.transport(last), as: Self.client)
    connections.closeAll()
    #expect(last.calls == [.closed])
  }

  @Test func `what leads to a client takes no more room than a reference`() {
    defer { scene.end() }
    #expect(MemoryLayout<ClientCarrier>.size == MemoryLayout<ByteStream>.size)
  }

  // MARK: Upstreams

  private func connect<Transport: UpstreamTransport>(_ make: @escaping (UpstreamID) -> Transport) -> Transport
  {
    let transport = make(Self.upstream)
    connections.makeTransport = { upstream, endpoint in
      #expect(upstream == Self.upstream && endpoint == UpstreamEndpoint(upstream: 3, endpoint: 4))
      return transport
    }
    connections.connect(Self.upstream, to: UpstreamEndpoint(upstream: 3, endpoint: 4))
    return transport
  }

  @Test func `bytes for an upstream go to its transport until it is disconnected`() {
    defer { scene.end() }
    let transport = connect(ByteTransportDouble.init)
    #expect(write("request", to: Self.upstream) == 7)
    connections.setReading(false, from: Self.upstream)
    #expect(connections.name(of: Self.upstream) == "bytes")
    connections.disconnect(Self.upstream)
    #expect(write("late", to: Self.upstream) == 0 && connections.name(of: Self.upstream) == "")
    #expect(transport.written == Array("request".utf8))
    #expect(transport.calls == [.connected, .reading(false), .disconnected])
  }

  @Test func `an upstream that was told that nothing more comes ends well, however it ends`() {
    defer { scene.end() }
    let transport = connect(ByteTransportDouble.init)
    #expect(!connections.hasEndedWell(Self.upstream))
    transport.hasEndedWell = true
    #expect(connections.hasEndedWell(Self.upstream))
    transport.hasEndedWell = false
    connections.end(Self.upstream)
    #expect(connections.hasEndedWell(Self.upstream) && transport.calls == [.connected, .ended])
    connections.closeAll()
    #expect(!connections.hasEndedWell(Self.upstream) && transport.calls.last == .disconnected)
  }

  @Test func `upstreams of exchanges are reset, too`() {
    defer { scene.end() }
    let transport = connect(ExchangeTransportDouble.init)
    connections.resetUpstreams()
    #expect(transport.calls == [.connected, .reset])
  }

  @Test func `exchanges go to a transport of exchanges, bytes do not`() {
    defer { scene.end() }
    let transport = connect(ExchangeTransportDouble.init)
    let task = TaskID(rawValue: 9)
    let exchange = Exchange(task: task, remainingMilliseconds: 1, traceparent: [])
    connections.begin(exchange, over: Self.upstream, [1, 2])
    connections.abort(task, over: Self.upstream)
    connections.setReading(false, from: Self.upstream)
    connections.end(Self.upstream)
    #expect(write("bytes", to: Self.upstream) == 0 && !connections.hasEndedWell(Self.upstream))
    connections.closeAll()
    #expect(transport.calls == [.connected, .began([1, 2]), .aborted(task), .disconnected])
  }

  @Test func `bytes' transports take no exchanges`() {
    defer { scene.end() }
    let transport = connect(ByteTransportDouble.init)
    let exchange = Exchange(task: nil, remainingMilliseconds: 1, traceparent: [])
    connections.begin(exchange, over: Self.upstream, [1])
    connections.abort(TaskID(rawValue: 9), over: Self.upstream)
    connections.closeAll()
    #expect(transport.calls == [.connected, .disconnected] && transport.written.isEmpty)
  }
}
