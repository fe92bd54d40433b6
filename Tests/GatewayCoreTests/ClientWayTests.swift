import GatewayCore
import Testing

struct ClientWayTests {
  @Test(arguments: [
    (ClientWay.Kind.stream, false, "lines"), (.mcp, false, "mcp"), (.stream, true, "content-length"),
    (.webSocket, false, "websocket"),
    (.http, false, "http"), (.events, false, "sse"), (.stdio, false, "stdio"), (.stdio, true, "stdio"),
  ])
  func `each way has a name`(kind: ClientWay.Kind, hasHeads: Bool, name: String) {
    #expect(ClientWay(kind).name(hasHeads: hasHeads) == name)
    #expect(ClientWay(kind, isSecure: true).name(hasHeads: hasHeads) == name + "+tls")
  }
}
