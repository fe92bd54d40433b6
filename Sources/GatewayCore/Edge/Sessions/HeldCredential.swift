import Identity

/// By what a client is known, and how often it could not say that.
struct HeldCredential {
  var credential: Credential?
  var failures = 0
  /// It was taken away: the connection is about to close.
  var isRevoked = false
}
