/// Why somebody who presented a token was not let in: for whoever runs the gateway, and nobody else.
package enum LogInFault: Error, Hashable, Sendable {
  /// No principal has it, and no issuer can have signed it.
  case unknown
  /// It is longer than any may be.
  case tooLong
  /// It came behind the last attempt of its connection.
  case tooManyAttempts
  /// What its connection was known by counts no longer: it can be nobody again.
  case revoked
  /// An issuer may have signed it, but it does not count.
  case signed(TokenFault)

  /// Of a fixed list: nothing that somebody said is in it.
  package var word: String {
    switch self {
    case .unknown: "unknown token"
    case .tooLong: "too long"
    case .tooManyAttempts: "too many attempts"
    case .revoked: "revoked"
    case .signed(let fault): fault.rawValue
    }
  }
}

extension LogInFault: CaseIterable {
  package static let allCases: [LogInFault] =
    [.unknown, .tooLong, .tooManyAttempts, .revoked] + TokenFault.allCases.map { .signed($0) }
}
