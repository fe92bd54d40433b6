import GatewayCore
import Identity
import TaskStore
import Testing

/// POSTs that name the same session share keys of scope `connection`, groups and ids, as long as one of them is there.
@Suite struct ExchangeSessionTests {
  private func post(_ bench: inout Bench, _ session: String?, listener: Int = 0) throws -> ClientID {
    let connected = bench.core.clientConnected(listener: listener, as: .exchange)
    let client = try #require(connected)
    if let session { bench.core.name(client, session: Array(session.utf8)) }
    return client
  }

  private func request(_ id: Int, _ task: String) -> String {
    #"{"jsonrpc":"2.0","id":\#(id),"method":"m","task":{\#(task)}}"# + "\n"
  }

  @Test func `a key of scope connection is that of all POSTs of a session, and of no other`() throws {
    var bench = Bench()
    let task = #""key":"k","scope":"connection""#
    let first = try post(&bench, "one")
    let (same, other, alone) = (try post(&bench, "one"), try post(&bench, "two"), try post(&bench, nil))
    bench.send(request(1, task), from: first)
    bench.send(request(2, task), from: other)
    bench.send(request(3, task), from: alone)
    #expect(bench.heard(first) == [])
    bench.send(request(4, task), from: same)
    #expect(bench.heard(first).count == 1 && bench.heard(other) == [] && bench.heard(alone) == [])
  }

  @Test func `ids are those of the session, the newest first`() throws {
    var bench = Bench()
    let (first, second) = (try post(&bench, "one"), try post(&bench, "one"))
    bench.send(request(7, ""), from: first)
    bench.send(request(7, ""), from: second)
    let cancel = #"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":7}}"# + "\n"
    let stranger = try post(&bench, "two")
    bench.send(cancel, from: stranger)
    #expect(bench.heard(second) == [])
    let third = try post(&bench, "one")
    bench.send(cancel, from: third)
    #expect(bench.heard(second).count == 1 && bench.heard(first) == [])
    bench.send(cancel, from: third)
    #expect(bench.heard(first).count == 1)
  }

  @Test func `a session ends with the last of its POSTs`() throws {
    var bench = Bench()
    let first = try post(&bench, "one")
    let number = bench.core.number(of: first)
    let second = try post(&bench, "one")
    #expect(bench.core.number(of: second) == number)
    bench.core.clientDisconnected(first)
    let third = try post(&bench, "one")
    #expect(bench.core.number(of: third) == number)
    bench.core.clientDisconnected(second)
    bench.core.clientDisconnected(third)
    let later = try post(&bench, "one")
    #expect(bench.core.number(of: later) != number)
  }

  @Test func `whichever of its POSTs end, the others are looked through from the newest on`() throws {
    let count = 4
    for gone in 0..<(1 << count) {
      var bench = Bench()
      let posts = try (0..<count).map { _ in try post(&bench, "one") }
      for client in posts { bench.send(request(7, ""), from: client) }
      for index in 0..<count where gone & (1 << index) != 0 { bench.core.clientDisconnected(posts[index]) }
      let cancel = #"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":7}}"# + "\n"
      let last = try post(&bench, "one")
      for index in (0..<count).reversed() where gone & (1 << index) == 0 {
        bench.send(cancel, from: last)
        #expect(bench.heard(posts[index]).count == 1, "\(index) of \(gone)")
      }
      #expect(bench.core.liveRequestCount == 0)
    }
  }

  @Test func `the same name at another listener is another session`() throws {
    var bench = Bench()
    let (here, there) = (try post(&bench, "one"), try post(&bench, "one", listener: 1))
    #expect(bench.core.number(of: here) != bench.core.number(of: there))
  }

  // MARK: Sessions of principals

  /// Ada and eve are users 1 and 2 of the machine, and nobody else is known.
  private func benchThatAsksWho() -> Bench {
    var configuration = GatewayConfiguration()
    configuration.listeners = [ListenerOptions()]
    configuration.listeners[0].asksWho = true
    configuration.principals = ["ada", "eve"].map { PrincipalOptions(name: $0) }
    for index in 0..<2 { configuration.principals[index].users = [UInt32(index + 1)] }
    return Bench(configuration)
  }

  private func post(_ bench: inout Bench, of user: UInt32) throws -> ClientID {
    let connected = bench.core.clientConnected(listener: 0, .user(user), as: .exchange)
    let client = try #require(connected)
    bench.core.name(client, session: Array("one".utf8))
    return client
  }

  private let ada: UInt32 = 1
  private let eve: UInt32 = 2
  private let nobody: UInt32 = 3

  @Test func `the same name of another principal is another session`() throws {
    var bench = benchThatAsksWho()
    let (adas, eves) = (try post(&bench, of: ada), try post(&bench, of: eve))
    #expect(bench.core.number(of: adas) != bench.core.number(of: eves))
    let later = (try post(&bench, of: ada), try post(&bench, of: eve))
    #expect(bench.core.number(of: later.0) == bench.core.number(of: adas))
    #expect(bench.core.number(of: later.1) == bench.core.number(of: eves))
  }

  @Test func `a key of scope connection is not that of another principal's session`() throws {
    for policy in DuplicatePolicy.allCases {
      var bench = benchThatAsksWho()
      let task = #""key":"k","scope":"connection","policy":"\#(policy.wireName)""#
      let (adas, eves) = (try post(&bench, of: ada), try post(&bench, of: eve))
      bench.send(request(1, task), from: adas)
      bench.send(request(2, task), from: eves)
      #expect(bench.asked().count == 2 && bench.core.keyCount == 2, "\(policy)")
      #expect(bench.heard(adas) == [] && bench.heard(eves) == [], "\(policy)")
    }
  }

  @Test func `ids and groups are not those of another principal's session, nor of nobody's`() throws {
    for (method, params) in [
      ("$/cancelRequest", #"{"id":1}"#), ("lastword.cancel", #"{"id":1}"#),
      ("lastword.cancel", #"{"group":"g"}"#), ("lastword.cancel", #"{"group":"g","scope":"principal"}"#),
      ("lastword.cancel", #"{"key":"k","scope":"connection"}"#),
    ] {
      var bench = benchThatAsksWho()
      let adas = try post(&bench, of: ada)
      bench.send(request(1, #""key":"k","scope":"connection","group":"g""#), from: adas)
      let cancel = line("2", method, params: params)
      for user in [eve, nobody] {
        let stranger = try post(&bench, of: user)
        bench.send(cancel, from: stranger)
        let heard = bench.heard(stranger)
        #expect(heard.count == 1, "\(method) \(params): \(heard)")
        #expect(bench.heard(adas) == [] && bench.core.taskCount == 1, "\(method) \(params) of \(user)")
      }
      let same = try post(&bench, of: ada)
      bench.send(cancel, from: same)
      #expect(bench.heard(adas).count == 1, "\(method) \(params)")
    }
  }

  @Test func `who is not known yet is in no session, and then in that of its own principal`() throws {
    var bench = benchThatAsksWho()
    let token = try #require(TokenDigest(of: Array("e".utf8)), "this test needs OpenSSL")
    var configuration = GatewayConfiguration()
    configuration.listeners = [ListenerOptions()]
    configuration.listeners[0].asksWho = true
    configuration.principals = ["ada", "eve"].map { PrincipalOptions(name: $0) }
    for index in 0..<2 { configuration.principals[index].users = [UInt32(index + 1)] }
    configuration.principals[1].tokens = [token]
    bench.core.reconfigure(configuration)
    let (adas, eves) = (try post(&bench, of: ada), try post(&bench, of: eve))
    let later = try post(&bench, of: nobody)
    let numbers = [bench.core.number(of: adas), bench.core.number(of: eves)]
    #expect(!numbers.contains(bench.core.number(of: later)))
    bench.send(line("1", "lastword.authenticate", params: #"{"token":"e"}"#), from: later)
    #expect(bench.core.number(of: later) == bench.core.number(of: eves))
  }

  @Test func `a request comes too late behind those of its own principal only`() throws {
    var bench = benchThatAsksWho()
    for scope in ["shared", "connection"] {
      let task = { (order: Int) in #""key":"k","scope":"\#(scope)","order":\#(order)"# }
      let (adas, eves) = (try post(&bench, of: ada), try post(&bench, of: eve))
      bench.send(request(1, task(9)), from: adas)
      bench.send(request(2, task(3)), from: eves)
      #expect(bench.heard(adas) == [] && bench.heard(eves) == [], "\(scope)")
      let later = (try post(&bench, of: ada), try post(&bench, of: eve))
      bench.send(request(3, task(8)), from: later.0)
      bench.send(request(4, task(4)), from: later.1)
      #expect(bench.heard(later.0).first?.contains("-32080") == true, "\(scope)")
      #expect(bench.heard(later.1) == [] && bench.heard(eves).count == 1, "\(scope)")
    }
  }
}
