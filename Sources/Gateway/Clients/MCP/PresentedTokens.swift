import Identity

/// Tokens that were presented to a session of the Model Context Protocol, oldest first: the core judges the first one, and
/// the others wait for their turn.
struct PresentedTokens {
  /// Whoever waits for a verdict.
  struct Asker {
    let connection: ObjectIdentifier
    let onVerdict: (ReplyHead) -> Void
  }

  struct Presentation {
    let token: String
    /// Nil in a build without OpenSSL.
    let digest: TokenDigest?
    fileprivate(set) var askers: [Asker]
  }

  /// So many tokens wait at most: who knows a session's name shall not keep its client's newer token out for long.
  static let most = 16

  private var line: [Presentation] = []

  var isEmpty: Bool { line.isEmpty }
  var count: Int { line.count }
  /// Which one the core judges.
  var first: String? { line.first?.token }

  /// All who present the same token hear one verdict. Returns false if too many wait.
  mutating func add(
    _ token: String, over connection: ObjectIdentifier, then: @escaping (ReplyHead) -> Void
  ) -> Bool {
    let asker = Asker(connection: connection, onVerdict: then)
    let digest = TokenDigest(of: Array(token.utf8))
    if digest != nil, let place = line.firstIndex(where: { $0.digest == digest }) {
      line[place].askers.append(asker)
      return true
    }
    guard line.count < Self.most else { return false }
    line.append(Presentation(token: token, digest: digest, askers: [asker]))
    return true
  }

  /// A connection has gone: a token for which nobody else waits is not judged, unless it is just being judged.
  mutating func forget(_ connection: ObjectIdentifier) {
    for place in line.indices.dropFirst() {
      line[place].askers.removeAll { $0.connection == connection }
    }
    line = Array(line.prefix(1)) + line.dropFirst().filter { !$0.askers.isEmpty }
  }

  /// The first one has been judged.
  mutating func takeFirst() -> Presentation? { line.isEmpty ? nil : line.removeFirst() }

  /// None is judged any more; returns who has waited, oldest first.
  mutating func removeAll() -> [Asker] {
    let askers = line.flatMap(\.askers)
    line = []
    return askers
  }
}
