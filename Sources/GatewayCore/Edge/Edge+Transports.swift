import HotData
import JSONRPC

/// Memory of transports, such as TLS sessions, which they take even while nothing is said, and of connections that are
/// no clients yet, such as those in their handshakes.
///
/// Both lower the other bounds, so that a turn without them spends nothing on them.
extension Edge {
  /// Connections that are no clients yet may hold one of so many parts of the clients' memory, however much the clients
  /// hold; more only if nobody else needs it.
  static let arrivingPart = 16

  /// Memory of what carries clients, and of connections that are no clients yet.
  var carryingBytes: Int { transportByteCount }
  var arrivingBytes: Int { arrivingByteCount }

  /// What carries a client.
  func transportByteCount(of client: Int) -> Int {
    client < transportByteCounts.count ? transportByteCounts[client] : 0
  }

  /// Each of a client's messages follows a head with its length.
  func hasHeads(_ client: Int) -> Bool { clients[client].framing == .contentLength }

  /// Bytes held for a client and by its transport.
  func heldByteCount(of client: Int) -> Int {
    clients[client].heldByteCount + transportByteCount(of: client)
  }

  mutating func note(transportBytes byteCount: Int, of client: Int) {
    transportByteCounts.reach(client)
    transportByteCount += byteCount - transportByteCounts[client]
    transportByteCounts[client] = byteCount
    noteTransports()
  }

  /// It is closed, or gone.
  @inline(__always)
  mutating func forgetTransport(of client: Int) {
    if transportByteCount(of: client) > 0 { note(transportBytes: 0, of: client) }
  }

  mutating func note(arrivingBytes byteCount: Int) {
    arrivingByteCount = byteCount
    noteTransports()
  }

  /// Room is made at the turn's end, when all is known.
  mutating func noteTransports() {
    roomBytes = clientLimitBytes == .max ? .max : clientLimitBytes - transportByteCount
    turnRoomBytes = roomBytes == .max ? .max : roomBytes - arrivingByteCount
    noteRoom()
  }

  /// Connections that are no clients yet give way first, until they hold no more than they may in any case.
  mutating func haveArrivingGiveWay<Sink: GatewaySink & ~Copyable>(with sink: inout Sink) {
    let most = max(roomBytes - clientByteCount, clientLimitBytes / Self.arrivingPart)
    guard arrivingByteCount > most else { return }
    sink.makeRoom(arrivingBytes: most)
    note(arrivingBytes: sink.arrivingByteCount)
  }
}
