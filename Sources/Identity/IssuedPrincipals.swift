/// Principals that came by a signed token and are not in the configuration: their numbers, and those of their
/// namespaces. A number is given to another principal once nothing refers to it any more.
struct IssuedPrincipals: Sendable {
  private struct Entry {
    let number: Int
    let issuer: String
  }

  /// By name, as `issuer/subject`.
  private var entries: [String: Entry] = [:]
  private var namespaces: [String: Int] = [:]
  /// Free again, the longest free first.
  private var freeNumbers: [Int] = []
  private var freeNamespaces: [Int] = []

  var count: Int { max(entries.count, namespaces.count) }
  var nextNumber: Int? { freeNumbers.first }
  var nextNamespace: Int? { freeNamespaces.first }

  func find(_ identity: IssuedIdentity) -> Principal? {
    guard let entry = entries[identity.name], let namespace = namespaces[identity.namespaceName] else {
      return nil
    }
    return Principal(number: entry.number, namespace: namespace)
  }

  /// Whether both have to be given a number.
  func knows(_ identity: IssuedIdentity) -> (number: Int?, namespace: Int?) {
    (entries[identity.name]?.number, namespaces[identity.namespaceName])
  }

  mutating func enter(_ identity: IssuedIdentity, number: Int, namespace: Int) {
    if freeNumbers.first == number { freeNumbers.removeFirst() }
    if freeNamespaces.first == namespace { freeNamespaces.removeFirst() }
    entries[identity.name] = Entry(number: number, issuer: identity.terms.name)
    namespaces[identity.namespaceName] = namespace
  }

  /// Each with its number, its name and its issuer's; the order tells nothing.
  func forEach(_ body: (Int, String, String) -> Void) {
    for (name, entry) in entries { body(entry.number, name, entry.issuer) }
  }

  /// Forgets all but those that are in use. Returns the numbers of those who are gone.
  mutating func forget(butNumbers numbers: Set<Int>, butNamespaces used: Set<Int>) -> [Int] {
    let gone = entries.values.map(\.number).filter { !numbers.contains($0) }.sorted()
    entries = entries.filter { numbers.contains($0.value.number) }
    freeNumbers += gone
    freeNamespaces += namespaces.values.filter { !used.contains($0) }.sorted()
    namespaces = namespaces.filter { used.contains($0.value) }
    return gone
  }
}
