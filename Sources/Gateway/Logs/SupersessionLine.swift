package import GatewayCore
package import Logging
package import TaskStore

/// Why a request was superseded, by what, and what became of its work: all of it in one line of the log.
package struct SupersessionLine {
  /// Of a longer method the beginning is shown.
  package static let methodLimitBytes = 64

  let key: KeyHash
  let generation: UInt64
  let supersedingGeneration: UInt64
  let policy: DuplicatePolicy
  /// What upstream may have done of it, as the error's data says.
  let effect: UpstreamEffect
  /// Since it was admitted.
  let ageMilliseconds: UInt64
  let method: String
  let client: Int

  /// - Parameter method: as it stands in the message, whatever is in it.
  package init(
    key: KeyHash, generation: UInt64, supersededBy supersedingGeneration: UInt64, policy: DuplicatePolicy,
    _ effect: UpstreamEffect, ageMilliseconds: UInt64, method: some Collection<UInt8>, client: Int
  ) {
    self.key = key
    self.generation = generation
    self.supersedingGeneration = supersedingGeneration
    self.policy = policy
    self.effect = effect
    self.ageMilliseconds = ageMilliseconds
    self.method = Self.shown(method)
    self.client = client
  }

  private static func shown(_ method: some Collection<UInt8>) -> String {
    // A character at the border may be cut in two: one more byte than any of them has is looked at.
    let text = String(decoding: method.prefix(methodLimitBytes + 4), as: UTF8.self)
    let start = LogText.prefix(of: text, limitBytes: methodLimitBytes)
    return method.count > methodLimitBytes ? start + "…" : String(start)
  }

  /// Logs it at level debug; above that it is not even made.
  @inline(__always)
  package static func log(_ line: @autoclosure () -> SupersessionLine, to log: Logger) {
    guard log.logLevel <= .debug else { return }
    log.debug("superseded", metadata: line().metadata)
  }

  package var metadata: Logger.Metadata {
    [
      "key": .string(key.description), "generation": .stringConvertible(generation),
      "by": .stringConvertible(supersedingGeneration), "policy": .string(policy.name),
      "phase": .string(effect == .notSent ? "queued" : "running"), "upstream": .string("\(effect.name)"),
      "afterMs": .stringConvertible(ageMilliseconds), "method": .string(method),
      "client": .stringConvertible(client),
    ]
  }
}
