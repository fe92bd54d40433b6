/// Why a signed token counts for nothing; its client does not hear it, its operator does, in these words.
package enum TokenFault: String, Error, Hashable, Sendable, CaseIterable {
  /// Not three parts of base64url, the first two of them JSON objects.
  case form = "malformed"
  /// Two members of the same name (RFC 7515, section 4; RFC 7519, section 4): readers differ in which of them counts.
  case repeatedMember = "repeated member"
  /// It asks for an extension (RFC 7515, section 4.1.11), and there is none.
  case extensions = "critical extension"
  /// It is a token of another kind, as one that says that somebody has logged out (RFC 8725, section 3.11).
  case kind = "type"
  /// A claim or a member of the header is not there, or is of the wrong type or form.
  case claim
  /// Nobody here believes whom it says it is from.
  case issuer
  /// It is for somebody else.
  case audience
  /// Its key is not among the issuer's.
  case key = "unknown key"
  /// It names another algorithm than its key's.
  case algorithm
  case signature
  case expired
  case notYetValid = "not yet valid"
  /// It is not known what time it is.
  case noClock = "no clock"
}
