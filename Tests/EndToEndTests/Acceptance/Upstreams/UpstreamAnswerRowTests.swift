import TestSupport
import Testing

/// Upstreams that answer what nobody asked, or nothing that makes sense.
@Suite struct UpstreamAnswerRowTests {
  @Test(
    arguments: Way.to(UpstreamKind.sockets, others: [.tcp]),
    ["no JSON", "{", #"{"jsonrpc":"2.0","id":1,"result":01}"#, "\u{0}"])
  func `garbage ends the connection: what was in flight on it is lost, and service goes on`(
    way: Way, text: String
  ) throws {
    let scene = try UpstreamScene(way)
    try scene.ask(1, "hang")
    try scene.ask(2, "garbage", #""text":"\#(text.escaped)""#)
    for reply in try scene.client.replies(2) {
      #expect(reply.code == -32084 && reply.upstream == "mayHaveCompleted", "\(reply)")
    }
    try scene.expectServed(3)
    try scene.expectNothingRepeated()
  }

  @Test(arguments: Way.to(UpstreamKind.connections, others: [.tcp]))
  func `an answer over the limit fails its own request alone, and is never stored`(way: Way) throws {
    let (limitBytes, growthBytes) = (1024 * 1024, 16 * 1024 * 1024)
    let scene = try UpstreamScene(way, bounds: UpstreamScene.longTimeouts + "\nmessageBytes = \(limitBytes)")
    let before = try scene.gateway.program.peakResidentBytes()
    try scene.ask(1, "hang")
    try scene.ask(2, "big", #""bytes":\#(64 * 1024 * 1024)"#)
    let refused = try scene.client.reply()
    #expect(refused.id == 2 && refused.code == -32084 && refused.upstream == "mayHaveCompleted", "\(refused)")
    try scene.expectServed(3)
    #expect(try scene.gateway.program.peakResidentBytes() - before < growthBytes)
    try scene.ask(4, "big", #""bytes":\#(limitBytes - 1000)"#)
    #expect(try scene.client.reply().result?.count == limitBytes - 1000)
    // The other one goes on.
    try scene.client.send(#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}"#)
    let cancelled = try scene.client.reply()
    #expect(cancelled.id == 1 && cancelled.code == -32800, "\(cancelled)")
    try scene.expectNothingRepeated()
  }

  /// What is sent instead of the answer; ID stands for the id of the request.
  static let wrongAnswers = [
    #"{"jsonrpc":"2.0","id":ID0000,"result":"foreign"}"#, #"{"jsonrpc":"2.0","id":"ID","result":"a string"}"#,
    #"{"jsonrpc":"2.0","id":ID.0,"result":"spelled otherwise"}"#,
    #"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"?"}}"#,
    #"{"jsonrpc":"2.0","result":"without an id"}"#, #"[{"jsonrpc":"2.0","id":ID,"result":"a batch"}]"#,
    #"{"jsonrpc":"2.0","id":-ID,"result":"negative"}"#, #"{"jsonrpc":"2.0","id":1e9,"result":"a power"}"#,
    #"{"jsonrpc":"2.0","id":99999999999999999999,"result":"too large"}"#,
    #"{"jsonrpc":"2.0","method":"unasked","params":[ID]}"#,
  ]

  @Test(arguments: Way.to(UpstreamKind.connections, others: [.tcp]))
  func `wrong, second and late answers reach nobody, and the right one does`(way: Way) throws {
    let scene = try UpstreamScene(way)
    let answers = Self.wrongAnswers.map { #""\#($0.escaped)""# }.joined(separator: ",")
    try scene.ask(1, "wrong", #""answers":[\#(answers)],"then":"right""#)
    #expect(try scene.client.reply() == Reply(#"{"jsonrpc":"2.0","id":1,"result":"right"}"#))
    let second = #"{\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":\"first\"}"#
    try scene.ask(2, "wrong", #""answers":["\#(second)"],"then":"second""#)
    #expect(try scene.client.reply().result == "first")
    try scene.ask(3, "stubborn", #""ms":50"#, key: "k", policy: "cancel")
    try scene.ask(4, "stubborn", #""ms":100"#, key: "k", policy: "cancel")
    let (superseded, newest) = (try scene.client.reply(), try scene.client.reply())
    #expect(superseded.code == -32080 && newest.id == 4)
    #expect(try scene.client.isInStep())
    try scene.expectServed(5)
    #expect(scene.stop() == 0)
  }
}

extension StringProtocol {
  /// As it stands within a JSON string.
  var escaped: String {
    unicodeScalars.map { scalar in
      switch scalar {
      case "\"": #"\""#
      case "\\": #"\\"#
      case _ where scalar.value < 0x20:
        "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
      default: String(scalar)
      }
    }.joined()
  }
}
