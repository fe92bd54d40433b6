import Foundation
import Synchronization

/// A small HTTP/1.1 server on loopback; a test chooses its every answer and is told what its clients do.
///
/// Each connection has a thread of its own, on which the test's choice is made: it may wait there.
final class HTTPTestServer: Sendable {
  enum Event: Sendable {
    case request(HTTPTestRequest)
    /// The client has closed its side, or the connection broke.
    case closed(connection: Int)
  }

  private struct State {
    var connections = 0
    var requests: [HTTPTestRequest] = []
    /// Still open ones.
    var sockets: Set<TestSocket> = []
    var isListening = true
    var isOver = false
  }

  let port: UInt16
  private let listener: TestSocket
  private let choose: @Sendable (HTTPTestRequest) -> HTTPTestReply
  private let tell: @Sendable (Event) -> Void
  private let state = Mutex(State())

  init(
    telling tell: @escaping @Sendable (Event) -> Void,
    choosing choose: @escaping @Sendable (HTTPTestRequest) -> HTTPTestReply
  ) throws {
    listener = try TestSocket.listening(backlog: 1000)
    port = listener.port
    self.choose = choose
    self.tell = tell
    Thread.detachNewThread { self.accept() }
  }

  var url: String { "http://127.0.0.1:\(port)/rpc" }
  /// How many there have been.
  var connections: Int { state.withLock(\.connections) }
  /// As they came.
  var requests: [HTTPTestRequest] { state.withLock(\.requests) }

  func stop() {
    // Meanwhile none of them is closed: its number could be that of another test's socket already.
    state.withLock {
      $0.isOver = true
      if $0.isListening { listener.shutdown() }
      for socket in $0.sockets { socket.shutdown() }
    }
  }

  private func accept() {
    while let socket = listener.accept() {
      let number: Int? = state.withLock {
        guard !$0.isOver else { return nil }
        $0.sockets.insert(socket)
        $0.connections += 1
        return $0.connections
      }
      guard let number else {
        socket.close()
        continue
      }
      Thread.detachNewThread { self.serve(socket, number) }
    }
    state.withLock { $0.isListening = false }
    listener.close()
  }

  private func serve(_ socket: TestSocket, _ connection: Int) {
    var reader = HTTPTestReader(socket)
    var count = 0
    while var request = reader.next() {
      count += 1
      request.connection = connection
      request.number = count
      let heard = request
      state.withLock { $0.requests.append(heard) }
      tell(.request(request))
      guard choose(request).send(on: socket) else { break }
    }
    // Whoever is told may begin the next request at once: its client must find this connection ended by then.
    socket.shutdown()
    tell(.closed(connection: connection))
    // Out of the set first: nobody may shut down whoever gets its number next.
    state.withLock { _ = $0.sockets.remove(socket) }
    socket.close()
  }
}
