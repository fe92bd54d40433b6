/// A bearer token as the gateway makes them.
package enum RandomToken {
  /// By it people, and tools that look for secrets where none should be, know what they see.
  package static let prefix = "lw_"
  /// 256 bits, which nobody guesses.
  package static let randomBytes = 32

  /// The prefix and 43 characters of base64url; nil if the kernel has no random bytes.
  package static func make() -> String? {
    RandomBytes.make(randomBytes).map { prefix + Base64URL.text(of: $0) }
  }
}
