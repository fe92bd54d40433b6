import TestSupport
import Testing

/// Every policy through the real binary, with a real upstream in a process of its own.
@Suite struct PolicyTests {
  let upstream: RunningUpstream
  let gateway: RunningGateway
  let client: LineSocket

  init() throws {
    upstream = try RunningUpstream()
    gateway = try RunningGateway(upstream: upstream.address)
    client = try gateway.connect()
  }

  /// In one write: what upstream answers meanwhile, on a busy machine, is not between them.
  private func sendAtOnce(_ requests: String...) throws { try client.send(requests.joined(separator: "\n")) }

  @Test func `cancel: the slow answer of a never overtakes the quick one of ab`() throws {
    try sendAtOnce(
      sleeping(1, "a", milliseconds: 500, policy: "cancel"),
      sleeping(2, "ab", milliseconds: 50, policy: "cancel"))
    let first = try client.reply()
    #expect(
      first.id == 1 && first.code == -32080 && first.phase == "running" && first.upstream == "cancelSent")
    let second = try client.reply()
    #expect(second.id == 2 && second.result == "ab")
    // Past the time at which `a` would have been answered, nothing more has come.
    #expect(try client.call(request(3, "sleep", #"{"ms":600,"q":"later"}"#)).contains("later"))
    #expect(try client.isInStep())
  }

  @Test func `cancel: two clients share a key`() throws {
    let other = try gateway.connect()
    try client.send(sleeping(1, "a", milliseconds: 5_000, policy: "cancel"))
    #expect(try client.isInStep())
    try other.send(sleeping(1, "ab", milliseconds: 10, policy: "cancel"))
    #expect(try client.reply().code == -32080)
    #expect(try other.reply().result == "ab")
    #expect(try client.isInStep() && other.isInStep())
  }

  @Test func `cancelAndWait: the newest starts when the cancelled one has ended`() throws {
    try sendAtOnce(
      sleeping(1, "a", milliseconds: 5_000, policy: "cancelAndWait"),
      sleeping(2, "b", milliseconds: 5_000, policy: "cancelAndWait"),
      sleeping(3, "c", milliseconds: 10, policy: "cancelAndWait"))
    let replies = try client.replies(3)
    #expect(replies.map(\.code) == [-32080, -32080, nil])
    #expect(replies.map(\.upstream) == ["cancelSent", "notSent", nil])
    #expect(replies[2].result == "c")
  }

  @Test func `wait: first come, first served, however long each takes`() throws {
    try sendAtOnce(
      sleeping(1, "a", milliseconds: 200, policy: "wait"),
      sleeping(2, "b", milliseconds: 50, policy: "wait"),
      sleeping(3, "c", milliseconds: 0, policy: "wait"))
    #expect(try [client.reply().result, client.reply().result, client.reply().result] == ["a", "b", "c"])
  }

  @Test func `concurrent: the quicker answer comes first`() throws {
    try sendAtOnce(
      sleeping(1, "a", milliseconds: 400, policy: "concurrent"),
      sleeping(2, "b", milliseconds: 10, policy: "concurrent"))
    #expect(try [client.reply().result, client.reply().result] == ["b", "a"])
  }

  @Test func `preferPrevious: the same question shares one answer, another is busy`() throws {
    try sendAtOnce(
      sleeping(1, "a", milliseconds: 600, policy: "preferPrevious"),
      sleeping(2, "a", milliseconds: 600, policy: "preferPrevious"),
      sleeping(3, "b", milliseconds: 600, policy: "preferPrevious"))
    #expect(try client.reply().code == -32081)
    let replies = try client.replies(2)
    #expect(replies.map(\.result) == ["a", "a"])
  }

  @Test func `keepLatest: the running one is delivered, of the queued ones the latest`() throws {
    try sendAtOnce(
      sleeping(1, "a", milliseconds: 500, policy: "keepLatest"),
      sleeping(2, "b", milliseconds: 500, policy: "keepLatest"),
      sleeping(3, "c", milliseconds: 500, policy: "keepLatest"),
      sleeping(4, "d", milliseconds: 500, policy: "keepLatest"))
    let replies = try client.replies(4)
    #expect(replies.map(\.code) == [nil, -32080, -32080, nil])
    #expect(replies.map(\.result) == ["a", nil, nil, "d"])
    #expect(replies.map(\.upstream) == [nil, "notSent", "notSent", nil])
  }

  @Test func `onAnswer: a result supersedes what is older`() throws {
    try sendAtOnce(
      sleeping(1, "a", milliseconds: 5_000, policy: "onAnswer"),
      sleeping(2, "b", milliseconds: 50, policy: "onAnswer"))
    let replies = try client.replies(2)
    #expect(replies.map(\.code) == [-32080, nil])
    #expect(replies[1].result == "b")
  }

  @Test func `a cancelled request is answered once, and upstream stops`() throws {
    try client.send(sleeping(1, "a", milliseconds: 10_000, policy: "wait"))
    try client.send(#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}"#)
    #expect(try client.reply().code == -32800)
    // It would wait for ten seconds if the first one still ran.
    try client.send(sleeping(2, "b", milliseconds: 0, policy: "wait"))
    #expect(try client.reply().result == "b")
  }

  @Test func `a deadline answers, and cancels upstream`() throws {
    try client.send(
      request(1, "sleep", #"{"ms":10000}"#, key: "k", policy: "wait", task: #","timeoutMs":50"#))
    let reply = try client.reply()
    #expect(reply.code == -32083 && reply.upstream == "cancelSent")
    try client.send(sleeping(2, "b", milliseconds: 0, policy: "wait"))
    #expect(try client.reply().result == "b")
  }

  @Test func `the last caller of shared work to disconnect cancels it`() throws {
    let other = try gateway.connect()
    try client.send(sleeping(1, "a", milliseconds: 10_000, policy: "preferPrevious"))
    #expect(try client.isInStep())
    try other.send(sleeping(1, "a", milliseconds: 10_000, policy: "preferPrevious"))
    #expect(try other.isInStep())
    client.reset()
    other.reset()
    let third = try gateway.connect()
    try third.send(sleeping(1, "b", milliseconds: 0, policy: "wait"))
    #expect(try third.reply().result == "b")
  }

  @Test func `keys of one connection alone are nobody else's`() throws {
    let other = try gateway.connect()
    let scope = #","scope":"connection""#
    try client.send(request(1, "sleep", #"{"ms":200,"q":"mine"}"#, key: "k", policy: "cancel", task: scope))
    #expect(try client.isInStep())
    try other.send(request(1, "sleep", #"{"ms":0,"q":"theirs"}"#, key: "k", policy: "cancel", task: scope))
    #expect(try other.reply().result == "theirs")
    #expect(try client.reply().result == "mine")
  }
}
