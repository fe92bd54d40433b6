import JSONRPC
import Testing

@Suite struct RPCErrorTests {
  @Test func `the codes are those of the contract`() {
    let standard: [RPCError] = [
      .parseError, .invalidRequest, .methodNotFound, .invalidParams, .internalError,
    ]
    #expect(standard.map(\.code) == [-32700, -32600, -32601, -32602, -32603])
    let own: [RPCError] = [
      .superseded, .busy, .overloaded, .deadlineExceeded, .upstreamUnavailable, .shuttingDown, .tooLarge,
    ]
    #expect(own.map(\.code) == Array(-32086 ... -32080).reversed())
    #expect(RPCError.cancelled.code == -32800)
  }

  @Test func `other words leave the code`() {
    #expect(RPCError.invalidParams.with(message: "key") == RPCError(code: -32602, message: "key"))
  }
}
