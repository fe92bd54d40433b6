import JSONRPC
import Testing

/// Tasks that need not be read again once the message was scanned.
@Suite struct FastTaskTests {
  @Test(arguments: [
    (#"{"key":"a:1"}"#, #""a:1""#, "", ""),
    (#"{"key":""}"#, #""""#, "", ""),
    (#"{"key":"a","policy":"wait","timeoutMs":250}"#, #""a""#, #""wait""#, "250"),
    (#"{"timeoutMs":0,"policy":"","key":"12345678"}"#, #""12345678""#, #""""#, "0"),
    (#"{"key": "a}", "policy": "b", "timeoutMs": 1234567}"#, #""a}""#, #""b""#, "1234567"),
  ])
  func `the members of a task on the fast path are found`(
    task: String, key: String, policy: String, timeout: String
  ) {
    let scan = Scan(Self.message(task))
    #expect(scan.outcome == .message && scan.text(\.task) == task)
    #expect(scan.text(\.fastTask.key) == key)
    #expect(scan.text(\.fastTask.policy) == policy)
    #expect(scan.text(\.fastTask.timeout) == timeout)
  }

  @Test(arguments: [
    "{}", #"{"policy":"a"}"#, #"{"key":7}"#, #"{"key":"a","policy":null}"#, #"{"key":"a","timeoutMs":"1"}"#,
    #"{"key":"a","timeoutMs":1.0}"#, #"{"key":"a","timeoutMs":12345678}"#, #"{"key":"a","timeoutMs":-1}"#,
    #"{"key":"a","key":"a"}"#, #"{"key":"a","policy":"b","policy":"b"}"#, #"{"key":"\u0061"}"#,
    #"{"key":"é"}"#, #"{"k\u0065y":"a"}"#, #"{"key":"a","group":"g"}"#, #"{"key":"a","keys":1}"#,
    #"{ "key":"a" }"#, #"{"key":"a" }"#, #"{"key" :"a"}"#, "{\"key\":\n\"a\"}", #"{"key":  "a"}"#,
    #"{"key":"a","timeoutMs":1,"timeoutMs":1}"#,
  ])
  func `any other task has to be read`(task: String) {
    let scan = Scan(Self.message(task))
    #expect(scan.outcome == .message && scan.text(\.task) == task)
    #expect(scan.envelope.fastTask == FastTask())
  }

  @Test func `a task twice is a fault on the fast path, too`() {
    let scan = Scan(#"{"jsonrpc":"2.0","method":"m","task":{"key":"a"},"task":{"key":"b"}}"#)
    #expect(scan.fault == .duplicateMember && scan.envelope.fastTask == FastTask())
  }

  @Test func `a task on the fast path counts as a level of nesting`() {
    let message = Self.message(#"{"key":"a"}"#)
    #expect(Scan(message, ScanLimits(nestingLevels: 1)).isMalformed)
    #expect(Scan(message, ScanLimits(nestingLevels: 2)).outcome == .message)
  }

  @Test(arguments: 0..<18)
  func `a task on the fast path that is cut off or damaged is judged as by the oracle`(keyByteCount: Int) {
    let key = String(repeating: "k", count: keyByteCount)
    let message = Array(Self.message(#"{"key":"\#(key)","policy": "wait","timeoutMs":12}"#).utf8)
    for end in message.indices {
      check(WireText(Array(message[..<end]), slack: Array(message[end...])))
      for byte in Array("\"}{,:0 \n\\k".utf8) + [0x1F, 0x80] {
        var damaged = message
        damaged[end] = byte
        check(WireText(damaged, slack: Array("\"}".utf8)))
      }
    }
  }

  private func check(_ text: WireText) {
    let scan = text.scan()
    let bytes = Array(text.bytes[text.range])
    #expect(!scan.isMalformed == PlainChecker.accepts(bytes), "\(String(decoding: bytes, as: UTF8.self))")
    if scan.isMalformed || scan.envelope.fastTask.key.isEmpty { return }
    var fast = FastTask()
    var members = ObjectReader(scan.envelope.task)
    while let member = members.next(in: text.bytes.span) {
      switch text[member.name] {
      case "key": fast.key = member.value
      case "policy": fast.policy = member.value
      case "timeoutMs": fast.timeout = member.value
      default: Issue.record("not on the fast path: \(text[scan.envelope.task])")
      }
    }
    #expect(scan.envelope.fastTask == fast)
  }

  private static func message(_ task: String) -> String {
    #"{"jsonrpc":"2.0","id":1,"method":"m","task":\#(task)}"#
  }
}
