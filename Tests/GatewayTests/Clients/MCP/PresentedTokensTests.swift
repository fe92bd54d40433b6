import HTTP1
import Identity
import Testing

@testable import Gateway

/// Which token a session has judged next, and who hears of that.
@Suite struct PresentedTokensTests {
  /// A connection that presents tokens, and what it has heard.
  private final class Connection {
    var verdicts: [ReplyHead] = []
    var name: ObjectIdentifier { ObjectIdentifier(self) }
  }

  private func present(_ token: String, _ connection: Connection, to tokens: inout PresentedTokens) -> Bool {
    tokens.add(token, over: connection.name) { connection.verdicts.append($0) }
  }

  private func judge(_ tokens: inout PresentedTokens, _ verdict: ReplyHead = ReplyHead()) -> String? {
    let presentation = tokens.takeFirst()
    for asker in presentation?.askers ?? [] { asker.onVerdict(verdict) }
    return presentation?.token
  }

  @Test func `they are judged in their order, a bounded number`() {
    var tokens = PresentedTokens()
    let connections = (0..<PresentedTokens.most).map { _ in Connection() }
    for (number, connection) in connections.enumerated() {
      let isTaken = present("t\(number)", connection, to: &tokens)
      #expect(isTaken)
    }
    let late = Connection()
    let isRefused = !present("late", late, to: &tokens)
    #expect(isRefused && tokens.count == PresentedTokens.most && tokens.first == "t0")
    let first = judge(&tokens)
    #expect(first == "t0" && connections[0].verdicts == [ReplyHead()] && connections[1].verdicts.isEmpty)
    let isTaken = present("late", late, to: &tokens)
    #expect(isTaken && tokens.first == "t1")
  }

  @Test func `what waits goes with its connection, and what is being judged is judged`() {
    var tokens = PresentedTokens()
    let connections = (0..<4).map { _ in Connection() }
    for (number, connection) in connections.enumerated() {
      _ = present("t\(number)", connection, to: &tokens)
    }
    for connection in [connections[0], connections[2]] { tokens.forget(connection.name) }
    #expect(tokens.count == 3)
    let judged = (0..<4).map { _ in judge(&tokens) }
    #expect(judged == ["t0", "t1", "t3", nil])
    #expect(connections.map(\.verdicts.count) == [1, 1, 0, 1])
  }

  @Test(.enabled(if: TokenDigest.isBuilt))
  func `the same token is judged once for all who present it, and takes one place`() {
    var tokens = PresentedTokens()
    let (first, gone, other) = (Connection(), Connection(), Connection())
    _ = present("a", first, to: &tokens)
    for connection in [gone, other] { _ = present("b", connection, to: &tokens) }
    #expect(tokens.count == 2)
    tokens.forget(gone.name)
    _ = judge(&tokens)
    let judged = judge(&tokens, ReplyHead(.unauthorized))
    #expect(judged == "b" && other.verdicts == [ReplyHead(.unauthorized)] && gone.verdicts.isEmpty)
    #expect(tokens.isEmpty)
  }

  @Test func `whoever waits hears when the session ends`() {
    var tokens = PresentedTokens()
    let connections = [Connection(), Connection()]
    for (number, connection) in connections.enumerated() {
      _ = present("t\(number)", connection, to: &tokens)
    }
    let askers = tokens.removeAll()
    #expect(askers.map(\.connection) == connections.map(\.name) && tokens.isEmpty)
  }
}
