import GatewayCore
import Testing

@testable import Gateway

/// How long a WebSocket waits for its client.
@Suite struct WebSocketTransportTests {
  @Test func `what is unsent has its time from the Close on, however silent its client was`() throws {
    let scene = try HTTPScene { $0.server.pingMilliseconds = 30_000 }
    defer { scene.end() }
    let carrier = ClientTransportDouble(roomBytes: 0)
    let webSocket = WebSocketTransport(carrier, head: [], of: scene.clients)
    scene.clients.add(webSocket)
    let answer = Array((#"{"jsonrpc":"2.0","id":1,"result":0}"# + "\n").utf8)
    #expect(webSocket.write(answer) == answer.count)
    let unsent = webSocket.inFlightByteCount
    #expect(unsent > 0 && webSocket.dueMilliseconds == scene.nowMilliseconds + 30_000)
    scene.letTimePass()
    webSocket.close()
    #expect(webSocket.dueMilliseconds == scene.nowMilliseconds + HTTPConnection.leavingMilliseconds)
    // A head of two bytes, and the code.
    #expect(webSocket.inFlightByteCount == unsent + 4)
    #expect(carrier.calls == [])
  }
}
