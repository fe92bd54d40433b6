import HTTP1
import JSONRPC
import Testing

@testable import Gateway

/// The status that a reply gets.
@Suite struct ReplyHeadTests {
  private func head(_ reply: String) -> ReplyHead { ReplyHead(of: Array(reply.utf8).span) }

  private func error(_ code: Int, id: String = "1", data: String = "") -> String {
    let data = data.isEmpty ? "" : #","data":{\#(data)}"#
    return #"{"jsonrpc":"2.0","id":\#(id),"error":{"code":\#(code),"message":"m"\#(data)}}"# + "\n"
  }

  // MARK: Codes

  @Test(arguments: [
    (-32700, HTTPStatus.badRequest), (-32086, .contentTooLarge), (-32087, .unauthorized),
    (-32088, .forbidden),
  ])
  func `what the gateway refuses says so`(code: Int, status: HTTPStatus) {
    #expect(head(error(code)) == ReplyHead(status))
    #expect(head(error(code, id: "null")) == ReplyHead(status))
  }

  @Test(arguments: [
    -32600, -32601, -32602, -32603, -32080, -32081, -32083, -32800, -32801, -32000, 0, 1, 42, 32700, 32086,
    -327000, -3208, -32089, -1,
  ])
  func `other errors are answers`(code: Int) {
    #expect(head(error(code)) == ReplyHead(.ok))
    #expect(head(error(code, data: #""upstream":"notSent","retryAfterMs":5"#)) == ReplyHead(.ok))
  }

  @Test(arguments: [-32082, -32084, -32085])
  func `what was not sent is unavailable, and what may have been sent is an answer`(code: Int) {
    #expect(head(error(code, data: #""upstream":"notSent""#)) == ReplyHead(.unavailable))
    #expect(head(error(code, data: #""phase":"queued","upstream":"notSent""#)) == ReplyHead(.unavailable))
    for upstream in ["mayHaveCompleted", "cancelSent", "completed"] {
      #expect(head(error(code, data: #""upstream":"\#(upstream)""#)) == ReplyHead(.ok))
    }
    #expect(head(error(code)) == ReplyHead(.ok))
    #expect(head(error(code, data: #""retryAfterMs":10"#)) == ReplyHead(.ok))
  }

  @Test(arguments: [
    ("0", 1), ("1", 1), ("999", 1), ("1000", 1), ("1001", 2), ("60000", 60), ("999999999", 1_000_000),
    // Beyond any wait that we would say: no number traps.
    ("99999999999999999999999999", 1_000_000),
  ])
  func `a wait is whole seconds, rounded up`(milliseconds: String, seconds: Int) {
    for data in [
      #""retryAfterMs":\#(milliseconds),"upstream":"notSent""#,
      #""upstream":"notSent","retryAfterMs":\#(milliseconds)"#,
    ] {
      let head = head(error(-32082, data: data))
      #expect(head.status == .tooManyRequests)
      #expect(head.retrySeconds.map { $0 >= seconds } == true, "\(head)")
      if milliseconds.count < 10 { #expect(head.retrySeconds == seconds) }
    }
  }

  // MARK: Ids

  @Test(arguments: [
    "null", "0", "-1", "1.5e3", "123456789012345678901234567890", #""""#, #""a""#, #""a,b""#, #""\"""#,
    #""\\""#, #""\\\",""#, #""a\\\\""#, #"",\"error\":{\"code\":-32700""#, #""\u0022,\"error\":""#, #""é""#,
    #"",""#, #""}],""#,
  ])
  func `whatever the id is, the code is found behind it`(id: String) {
    #expect(head(error(-32086, id: id)) == ReplyHead(.contentTooLarge), "\(id)")
    #expect(head(error(-32601, id: id)) == ReplyHead(.ok), "\(id)")
    #expect(head(#"{"jsonrpc":"2.0","id":\#(id),"result":null}"#) == ReplyHead(.ok), "\(id)")
  }

  // MARK: What is no error of ours

  @Test(arguments: [
    #"{"jsonrpc":"2.0","id":1,"result":{"error":{"code":-32082,"data":{"upstream":"notSent"}}}}"#,
    #"{"jsonrpc":"2.0","id":1,"result":"","error":{"code":-32700}}"#,
    #"{"jsonrpc":"2.0","id":",\"error\":{\"code\":-32700","result":0}"#,
    #"[{"jsonrpc":"2.0","id":1,"error":{"code":-32700,"message":"m"}}]"#,
    #"[{"jsonrpc":"2.0","id":1,"error":{"code":-32082,"data":{"upstream":"notSent"}}}]"#,
    #"{"jsonrpc":"2.0","method":"n","id":1,"error":{"code":-32700}}"#, "", "\n", "null", "{", "[]",
  ])
  func `a result, a batch and what is no reply are 200`(reply: String) {
    #expect(head(reply) == ReplyHead(.ok))
  }

  @Test func `a reply that is cut off anywhere is looked at all the same`() {
    let id = #""a\\\",\u0022""#
    let whole = Array(error(-32082, id: id, data: #""upstream":"notSent","retryAfterMs":1500"#).utf8)
    var last = ReplyHead(.ok)
    for count in 0...whole.count {
      last = head(String(decoding: whole[..<count], as: UTF8.self))
      #expect([.ok, .unavailable, .tooManyRequests].contains(last.status), "\(count)")
    }
    #expect(last == ReplyHead(.tooManyRequests, retrySeconds: 2))
    // An id that does not end, and an escape that does not.
    for beginning in [
      #"{"jsonrpc":"2.0","id":""#, #"{"jsonrpc":"2.0","id":"\"#, #"{"jsonrpc":"2.0","id":1,"#,
    ] {
      #expect(head(beginning) == ReplyHead(.ok))
    }
  }

  @Test func `it is the form in which errors of ours are written`() {
    var bytes: [UInt8] = []
    MessageWriter.error(RequestID(), .parseError, into: &bytes)
    let head = ReplyHead(of: bytes.span)
    #expect(head == ReplyHead(.badRequest))
  }
}
