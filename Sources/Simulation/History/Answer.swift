/// What upstream says to a call, which may have ended long ago.
package struct Answer: Hashable, Sendable {
  package enum Kind: Int, Hashable, Sendable, CaseIterable {
    case result, error
    /// JSON but no JSON-RPC: a result and an error at once.
    case both
    /// Longer, or nested deeper, than may be.
    case tooLong, tooDeep
    /// A good answer, but its id is spelt so that it is another.
    case fractionalID, stringID
    /// An error with an id of null: a server says so when it cannot read what it was sent.
    case nullID
    /// No JSON at all.
    case nonsense
  }

  package var kind: Kind
  package var form: Int
}
