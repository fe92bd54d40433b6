import JSONRPC
import Testing

@Suite struct EnvelopeTests {
  @Test func `the members of a request are found as they stand there`() {
    let scan = Scan(
      #" {"jsonrpc":"2.0", "id" : 7.0 ,"method":"search","params":{"q": "s\u0077"},"task":{"key":"k"} } "#)
    #expect(scan.outcome == .message)
    #expect(scan.text(\.id) == "7.0")
    #expect(scan.text(\.method) == #""search""#)
    #expect(scan.text(\.params) == #"{"q": "s\u0077"}"#)
    #expect(scan.text(\.task) == #"{"key":"k"}"#)
    #expect(scan.envelope.result.isEmpty && scan.envelope.error.isEmpty)
    #expect(!scan.envelope.isNotification && !scan.envelope.isResponse && !scan.envelope.methodHasEscapes)
  }

  @Test(arguments: [
    "1.0", "1e2", "9007199254740993", "123456789012345678901234567890", "1.5", #""\u0041""#, "null", "-0",
    #""""#, #""é""#,
  ])
  func `an id is kept byte for byte`(id: String) {
    let scan = Scan(#"{"id":\#(id),"jsonrpc":"2.0","method":"m"}"#)
    #expect(scan.outcome == .message)
    #expect(scan.text(\.id) == id)
    #expect(!scan.envelope.isNotification)
  }

  @Test func `a request without an id is a notification`() {
    let scan = Scan(#"{"jsonrpc":"2.0","method":"m"}"#)
    #expect(scan.outcome == .message)
    #expect(scan.envelope.isNotification && scan.envelope.id.isEmpty)
  }

  @Test func `a faulty notification is still known as one`() {
    #expect(Scan(#"{"jsonrpc":"2.0","method":"m","params":1}"#).envelope.isNotification)
    #expect(Scan(#"{"jsonrpc":"1.0","method":"m"}"#).envelope.isNotification)
    #expect(!Scan(#"{"jsonrpc":"2.0","method":"m","id":[]}"#).envelope.isNotification)
    #expect(!Scan(#"{"jsonrpc":"2.0","method":1}"#).envelope.isNotification)
    #expect(!Scan("{}").envelope.isNotification)
  }

  @Test func `params of null are absent params`() {
    let scan = Scan(#"{"jsonrpc":"2.0","method":"m","params":null}"#)
    #expect(scan.outcome == .message)
    #expect(scan.envelope.params.isEmpty)
  }

  @Test func `params may be an array`() {
    #expect(Scan(#"{"jsonrpc":"2.0","method":"m","params":[1, 2]}"#).text(\.params) == "[1, 2]")
  }

  @Test func `unknown members are ignored, also twice`() {
    let scan = Scan(#"{"x":1,"jsonrpc":"2.0","x":{"id":3},"method":"m","ID":4,"":[],"i":0,"jsonrpc2":1}"#)
    #expect(scan.outcome == .message)
    #expect(scan.envelope.isNotification)
  }

  @Test func `a result or an error makes a response`() {
    let result = Scan(#"{"jsonrpc":"2.0","id":1,"result":null}"#)
    #expect(result.outcome == .message && result.envelope.isResponse)
    #expect(result.text(\.result) == "null" && result.envelope.error.isEmpty)
    let error = Scan(#"{"jsonrpc":"2.0","id":null,"error":{"code":1}}"#)
    #expect(error.outcome == .message && error.envelope.isResponse)
    #expect(error.text(\.error) == #"{"code":1}"# && error.envelope.result.isEmpty)
  }

  @Test func `a method makes a request, whatever else is there`() {
    let scan = Scan(#"{"jsonrpc":"2.0","id":1,"method":"m","result":1}"#)
    #expect(scan.outcome == .message && !scan.envelope.isResponse)
  }

  @Test func `member names may be escaped`() {
    let scan = Scan(
      #"{"\u006asonrpc":"2.0","\u0069d":5,"m\u0065thod":"m","\u0070\u0061\u0072\u0061\u006D\u0073":[]}"#)
    #expect(scan.outcome == .message)
    #expect(scan.text(\.id) == "5" && scan.text(\.params) == "[]")
    #expect(Scan(#"{"jsonrpc":"2.0","method":"m","i\u0064\u0000":[]}"#).outcome == .message)
    #expect(Scan(#"{"jsonrpc":"2.0","method":"m","id\ud800":[]}"#).outcome == .message)
  }

  @Test func `the version may be escaped`() {
    #expect(Scan(#"{"jsonrpc":"2\u002e0","method":"m"}"#).outcome == .message)
  }

  @Test func `an escaped method says so`() {
    #expect(Scan(#"{"jsonrpc":"2.0","method":"\u006d"}"#).envelope.methodHasEscapes)
  }

  @Test func `an array is a batch and leaves the envelope alone`() {
    #expect(Scan("[]").outcome == .batch)
    #expect(Scan(#" [ 1 , {"id":[]} ] "#).outcome == .batch)
    #expect(Scan(#"[{"id":1}]"#).envelope.id.isEmpty)
  }
}
