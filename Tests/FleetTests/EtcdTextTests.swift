import HTTP1
import Testing

@testable import Fleet

/// What is said to etcd, and what it says; the tests of real servers have the real one.
@Suite struct EtcdTextTests {
  private let names = EtcdNames(fleet: "f")
  private let member = MemberID(high: 1, low: 0xab)

  private func base64(_ text: String) -> String { Base64.text(of: Array(text.utf8)) }

  @Test func `a record is found again by its name`() {
    for key in [EngineKey.member(member), .partition(0), .partition(255)] {
      #expect(names.key(named: names.name(of: key)) == key)
    }
    let id = "0000000000000001" + "00000000000000ab"
    #expect(names.name(of: .member(member)) == Array("/lastword/f/members/\(id)".utf8))
  }

  @Test(arguments: [
    "/lastword/f/members/1", "/lastword/f/members/000000000000000100000000000000AB",
    "/lastword/f/members/+00000000000000100000000000000ab", "/lastword/f/partitions/",
    "/lastword/f/partitions/-1",
    "/lastword/f/partitions/01", "/lastword/g/partitions/1", "/lastword/f/config", "",
  ])
  func `what is called otherwise is nothing of the fleet's`(name: String) {
    #expect(names.key(named: Array(name.utf8)) == nil)
  }

  @Test func `a value means what was written`() {
    let values: [(EngineKey, EngineValue)] = [
      (.member(member), .member(MemberRecord(address: "[::1]:5279 \"é\"", beat: .max, isLeaving: true))),
      (.partition(3), .partition(PartitionRecord(owner: member, epoch: 1 << 20))),
    ]
    for (key, value) in values { #expect(names.value(of: key, in: names.text(of: value)) == value) }
  }

  @Test(arguments: ["", "{", "[]", "{}", #"{"owner":"1","epoch":1}"#, #"{"owner":3,"epoch":1}"#])
  func `a value that is none is not made up`(text: String) {
    #expect(names.value(of: .partition(1), in: Array(text.utf8)) == nil)
    #expect(names.value(of: .member(member), in: Array(text.utf8)) == nil)
  }

  @Test func `a transaction is written with its conditions and its writes`() {
    let transaction = EngineTransaction(
      conditions: [.revision(.partition(3), 7), .exists(.member(member))], writes: [.delete(.partition(3))])
    let request = EtcdRequest(.transaction(transaction), names)
    let partition = base64("/lastword/f/partitions/3")
    let id = Base64.text(of: names.name(of: .member(member)))
    #expect(request.path == "/v3/kv/txn")
    #expect(
      String(decoding: request.body, as: UTF8.self)
        == #"{"compare":[{"target":"MOD","result":"EQUAL","key":"\#(partition)","mod_revision":"7"},"#
        + #"{"target":"VERSION","result":"GREATER","key":"\#(id)","version":"0"}],"#
        + #""success":[{"requestDeleteRange":{"key":"\#(partition)"}}]}"#)
  }

  @Test func `a watch goes on behind a revision, over all that begins with the fleet's name`() {
    let body = String(decoding: EtcdRequest.watch(behind: 9, names).body, as: UTF8.self)
    #expect(
      body == #"{"create_request":{"key":"\#(base64("/lastword/f/"))","#
        + #""range_end":"\#(base64("/lastword/f0"))","start_revision":"10"}}"#)
  }

  private static let header = #""header":{"cluster_id":"18446744073709551615","revision":"12"}"#

  private func read(_ text: String, to body: EngineRequest.Body) -> (EngineAnswer, EngineHeader)? {
    EtcdAnswer.read(Array(text.utf8), to: body, names)
  }

  @Test func `a transaction was applied where it says so, and else refused`() throws {
    let body = EngineRequest.Body.transaction(EngineTransaction(conditions: [], writes: []))
    let (applied, header) = try #require(read(#"{\#(Self.header),"succeeded":true}"#, to: body))
    guard case .applied(12) = applied else { throw Failure() }
    #expect(header.cluster == .max && header.revision == 12)
    guard case .refused? = read(#"{\#(Self.header)}"#, to: body)?.0 else { throw Failure() }
  }

  private struct Failure: Error {}

  @Test func `a record is read with its revision, and one that is not there is told from no answer`() throws {
    let name = base64("/lastword/f/partitions/3")
    let value = Base64.text(of: names.text(of: .partition(PartitionRecord(owner: member, epoch: 5))))
    let text =
      #"{\#(Self.header),"kvs":[{"key":"\#(name)","mod_revision":"11","value":"\#(value)"}],"count":"1"}"#
    guard case .record(let record?)? = read(text, to: .read(.partition(3)))?.0 else { throw Failure() }
    #expect(record.revision == 11)
    #expect(record.value == .partition(PartitionRecord(owner: member, epoch: 5)))
    guard case .record(nil)? = read(#"{\#(Self.header)}"#, to: .read(.partition(3)))?.0 else {
      throw Failure()
    }
    #expect(read("{}", to: .read(.partition(3))) == nil)
    #expect(read(#"{"error":"x","code":3}"#, to: .read(.partition(3))) == nil)
    #expect(read("not json", to: .read(.partition(3))) == nil)
  }

  @Test func `a watch tells of writes and of deletions, in their order, and of its end`() throws {
    let name = base64("/lastword/f/partitions/3")
    let value = Base64.text(of: names.text(of: .partition(PartitionRecord(owner: member, epoch: 5))))
    let events =
      #"{"kv":{"key":"\#(name)","mod_revision":"11","value":"\#(value)"}},"#
      + #"{"kv":{"key":"\#(base64("/lastword/f/unknown"))","mod_revision":"11","value":""}},"#
      + #"{"type":"DELETE","kv":{"key":"\#(name)","mod_revision":"12"}}"#
    let line = #"{"result":{\#(Self.header),"events":[\#(events)]}}"#
    guard case .changes(let changes, let header)? = EtcdAnswer.readWatched(Array(line.utf8), names) else {
      throw Failure()
    }
    #expect(changes.map(\.key) == [.partition(3), .partition(3)] && changes.map(\.revision) == [11, 12])
    #expect(changes[0].record != nil && changes[1].record == nil && header.revision == 12)
    let end = #"{"result":{"header":{"cluster_id":"1"},"canceled":true,"compact_revision":"3"}}"#
    guard case .ended? = EtcdAnswer.readWatched(Array(end.utf8), names) else { throw Failure() }
    #expect(EtcdAnswer.readWatched(Array("{}".utf8), names) == nil)
  }

  @Test(arguments: [
    (#"{"error":"x","code":3,"message":"etcdserver: user name is empty"}"#, true),
    (#"{"code":16,"message":"etcdserver: invalid auth token","details":[]}"#, true),
    (#"{"error":"etcdserver: revision of auth store is old"}"#, true),
    (#"{"error":"auth: revision in header is old"}"#, true),
    (#"{"code":7,"message":"etcdserver: permission denied"}"#, false),
    (#"{"code":9,"message":"etcdserver: authentication is not enabled"}"#, false),
    ("<html>502 Bad Gateway</html>", false), ("", false), ("{}", false),
  ])
  func `an error that asks who one is is told from others`(text: String, wantsUser: Bool) {
    #expect(EtcdAnswer.wantsUser(Array(text.utf8)) == wantsUser)
  }

  @Test(arguments: ["", "f", "fo", "foo", "foob", "fooba", "foobar"])
  func `bytes are what their text stands for`(text: String) {
    #expect(Base64.bytes(of: Array(base64(text).utf8)) == Array(text.utf8))
  }

  @Test(arguments: ["A", "AA", "AAA", "====", "AB==", "AAB=", "A===", "AA=A", "AA-_", "AAAA\n"])
  func `a text that stands for no bytes, or for more than whole ones, is none`(text: String) {
    #expect(Base64.bytes(of: Array(text.utf8)) == nil)
  }
}
