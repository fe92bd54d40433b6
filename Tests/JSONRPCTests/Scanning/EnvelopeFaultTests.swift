import JSONRPC
import Testing

@Suite struct EnvelopeFaultTests {
  @Test(arguments: ["1", "null", #""x""#, "true", " -1.5e3 "])
  func `a scalar is no message`(text: String) {
    #expect(Scan(text).fault == .notAnObject)
    #expect(Scan(text).envelope.id.isEmpty)
  }

  @Test func `an empty object has no method`() {
    #expect(Scan("{}").fault == .noMethod)
    #expect(Scan(" { } ").fault == .noMethod)
  }

  @Test(
    arguments: [
      (#""method":"m""#, .missingVersion),
      (#""jsonrpc":"1.0","method":"m""#, .wrongVersion),
      (#""jsonrpc":"2.00","method":"m""#, .wrongVersion),
      (#""jsonrpc":2.0,"method":"m""#, .wrongVersion),
      (#""jsonrpc":[2.0],"method":"m""#, .wrongVersion),
      (#""jsonrpc":"2.0""#, .noMethod),
      (#""jsonrpc":"2.0","method":1"#, .methodNotAString),
      (#""jsonrpc":"2.0","method":null"#, .methodNotAString),
      (#""jsonrpc":"2.0","method":"m","params":1"#, .paramsNotStructured),
      (#""jsonrpc":"2.0","method":"m","params":"[]""#, .paramsNotStructured),
      (#""jsonrpc":"2.0","method":"m","params":false"#, .paramsNotStructured),
      (#""jsonrpc":"2.0","method":"m","task":null"#, .taskNotAnObject),
      (#""jsonrpc":"2.0","method":"m","task":[]"#, .taskNotAnObject),
      (#""jsonrpc":"2.0","result":1,"error":{}"#, .resultAndError),
      (#""jsonrpc":"2.0","error":"no""#, .errorNotAnObject),
      (#""result":1"#, .missingVersion),
    ] as [(String, EnvelopeFault)])
  func `a fault keeps the id`(members: String, fault: EnvelopeFault) {
    let scan = Scan(#"{"id":"own",\#(members)}"#)
    #expect(scan.fault == fault)
    #expect(scan.text(\.id) == #""own""#)
    #expect(Scan(#"{\#(members),"id":"own"}"#).text(\.id) == #""own""#)
  }

  @Test(arguments: ["[]", "{}", "true", "false", #"[1]"#, #"{"id":1}"#])
  func `an id is a string, a number or null`(id: String) {
    let scan = Scan(#"{"jsonrpc":"2.0","id":\#(id),"method":"m"}"#)
    #expect(scan.fault == .invalidID)
    #expect(scan.envelope.id.isEmpty)
  }

  @Test func `an id has 128 bytes at most`() {
    let longest = "\"" + String(repeating: "i", count: 126) + "\""
    #expect(Scan(#"{"jsonrpc":"2.0","id":\#(longest),"method":"m"}"#).text(\.id) == longest)
    let tooLong = Scan(#"{"jsonrpc":"2.0","id":\#(String(repeating: "1", count: 129)),"method":"m"}"#)
    #expect(tooLong.fault == .idTooLong(limitBytes: 128))
    #expect(tooLong.envelope.id.isEmpty)
  }

  @Test func `a method has 256 bytes at most`() {
    let longest = String(repeating: "m", count: 256)
    #expect(Scan(#"{"jsonrpc":"2.0","id":1,"method":"\#(longest)"}"#).outcome == .message)
    #expect(
      Scan(#"{"jsonrpc":"2.0","id":1,"method":"\#(longest)m"}"#).fault == .methodTooLong(limitBytes: 256))
  }

  @Test func `an id and a method may have what the caller allows, and the fault names that`() {
    let limits = ScanLimits(idBytes: 4, methodBytes: 3)
    func scan(_ id: String, _ method: String) -> Scan {
      Scan(#"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)"}"#, limits)
    }
    #expect(scan("1234", "abc").outcome == .message)
    #expect(scan(#""ab""#, "abc").outcome == .message)
    let (longID, longMethod) = (scan("12345", "abc"), scan("1234", "abcd"))
    #expect(longID.fault == .idTooLong(limitBytes: 4))
    #expect(longMethod.fault == .methodTooLong(limitBytes: 3))
    #expect(longMethod.text(\.id) == "1234")
    #expect(longID.fault?.message == "id is longer than 4 bytes")
    #expect(longMethod.fault?.message == "method is longer than 3 bytes")
  }

  @Test(arguments: [1, 2, 5, 128])
  func `containers may be nested as deep as the caller allows, the message itself included`(levels: Int) {
    let limits = ScanLimits(nestingLevels: levels)
    func array(_ depth: Int) -> String {
      String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    func request(_ params: String) -> String { #"{"jsonrpc":"2.0","method":"m","params":\#(params)}"# }
    if levels > 1 { #expect(Scan(request(array(levels - 1)), limits).outcome == .message) }
    #expect(Scan(request(array(levels)), limits).isMalformed)
    #expect(Scan(#"{"jsonrpc":"2.0","method":"m","x":\#(array(levels))}"#, limits).isMalformed)
    #expect(Scan(array(levels), limits).outcome == .batch)
    #expect(Scan(array(levels + 1), limits).isMalformed)
  }

  @Test(arguments: ["jsonrpc", "id", "method", "params", "task", "result", "error"])
  func `a known member may not occur twice, escaped or not`(name: String) {
    let valid = [
      "jsonrpc": #""2.0""#, "id": "9", "method": #""m""#, "params": "null", "task": "{}", "result": "0",
      "error": "{}",
    ]
    let first = name.unicodeScalars.first!.value
    let escaped = "\\u00" + String(first, radix: 16) + name.dropFirst()
    for twin in [name, escaped] {
      let value = valid[name]!
      let others = name == "id" ? "" : #","id":9"#
      let scan = Scan(#"{"\#(name)":\#(value),"\#(twin)":\#(value)\#(others)}"#)
      #expect(scan.fault == .duplicateMember)
      #expect(scan.text(\.id) == "9")
    }
  }

  @Test func `of two ids the first counts`() {
    #expect(Scan(#"{"id":1,"id":2}"#).text(\.id) == "1")
    #expect(Scan(#"{"id":[],"id":2}"#).fault == .duplicateMember)
    #expect(Scan(#"{"id":[],"id":2}"#).envelope.id.isEmpty)
  }

  @Test func `a response needs an id`() {
    #expect(Scan(#"{"jsonrpc":"2.0","result":1}"#).fault == .responseWithoutID)
  }

  @Test(arguments: [
    (#"{"id":1,"result":1}"#, true), (#"{"jsonrpc":"2.0","id":[],"error":{}}"#, true),
    (#"{"jsonrpc":"2.0","id":1,"result":1,"error":{}}"#, true), (#"{"jsonrpc":"2.0","error":{}}"#, true),
    (#"{"id":1,"id":2,"result":1}"#, true), (#"{"id":1,"method":"m","result":1}"#, false),
    (#"{"id":1,"method":null,"error":{}}"#, false), (#"{"id":1}"#, false), ("1", false),
  ])
  func `what has a result or an error and no method is a bad response`(text: String, isOne: Bool) {
    let scan = Scan(text)
    #expect(scan.fault != nil && scan.envelope.isBadResponse == isOne)
  }

  @Test func `null beside the other member does not count`() {
    let result = Scan(#"{"jsonrpc":"2.0","id":1,"result":1,"error":null}"#)
    #expect(result.fault == nil && result.envelope.error.isEmpty && result.text(\.result) == "1")
    let error = Scan(#"{"jsonrpc":"2.0","id":1,"error":{},"result":null}"#)
    #expect(error.fault == nil && error.envelope.result.isEmpty && error.text(\.error) == "{}")
    #expect(Scan(#"{"jsonrpc":"2.0","id":1,"result":null,"error":null}"#).text(\.result) == "null")
    #expect(Scan(#"{"jsonrpc":"2.0","id":1,"result":null,"error":1}"#).fault == .errorNotAnObject)
    #expect(Scan(#"{"jsonrpc":"2.0","id":1,"error":null}"#).fault == .errorNotAnObject)
  }

  @Test func `malformed JSON wins over every fault`() {
    #expect(Scan(#"{"id":[],"id":true,"method":1,"params":01}"#).isMalformed)
  }

  @Test func `every fault has its words, and a wrong task is a wrong parameter`() {
    let faults: [EnvelopeFault] = [
      .notAnObject, .duplicateMember, .invalidID, .idTooLong(limitBytes: 128), .noMethod, .missingVersion,
      .wrongVersion, .methodNotAString, .methodTooLong(limitBytes: 128), .paramsNotStructured,
      .taskNotAnObject, .resultAndError,
      .errorNotAnObject, .responseWithoutID,
    ]
    #expect(Set(faults.map(\.message)).count == faults.count)
    for fault in faults {
      #expect(fault.error.code == (fault == .taskNotAnObject ? -32602 : -32600))
      #expect(fault.error.message == fault.message)
    }
  }

  @Test func `the envelope of an earlier message does not shine through`() {
    var envelope = Scan(#"{"jsonrpc":"2.0","id":1,"method":"m","params":[]}"#).envelope
    let scalar = WireText("1")
    _ = EnvelopeScanner.scan(scalar.bytes.span, scalar.range, into: &envelope)
    #expect(envelope.id.isEmpty && envelope.method.isEmpty && envelope.params.isEmpty)
  }
}
