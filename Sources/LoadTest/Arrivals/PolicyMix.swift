package import TaskStore

/// Decides which policy a request has, by weights.
package struct PolicyMix: Hashable, Sendable {
  package struct Share: Hashable, Sendable {
    package var policy: DuplicatePolicy
    package var weight: Int
  }

  package static let weightRange = 1...1_000_000
  package let shares: [Share]
  private let total: Int

  package init(_ policy: DuplicatePolicy) { self.init([Share(policy: policy, weight: 1)]) }

  private init(_ shares: [Share]) {
    self.shares = shares
    total = shares.reduce(0) { $0 + $1.weight }
  }

  /// Understands `cancel` and `cancel=3,wait=1`.
  package init?(parsing text: String) {
    var shares: [Share] = []
    for word in text.split(separator: ",", omittingEmptySubsequences: false) {
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let weight = parts.count == 2 ? Int(parts[1]) : 1
      guard let policy = DuplicatePolicy.allCases.first(where: { $0.name == parts[0] }), let weight,
        Self.weightRange.contains(weight), !shares.contains(where: { $0.policy == policy })
      else { return nil }
      shares.append(Share(policy: policy, weight: weight))
    }
    self.init(shares)
  }

  package func draw(_ random: inout LoadRandom) -> DuplicatePolicy {
    guard shares.count > 1 else { return shares[0].policy }
    var left = random.below(total)
    for share in shares {
      left -= share.weight
      if left < 0 { return share.policy }
    }
    return shares[shares.count - 1].policy
  }
}

extension PolicyMix: CustomStringConvertible {
  package var description: String {
    shares.count == 1
      ? shares[0].policy.name : shares.map { "\($0.policy.name)=\($0.weight)" }.joined(separator: ",")
  }
}
