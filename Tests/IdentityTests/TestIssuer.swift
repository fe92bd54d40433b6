import Identity
import TestSupport

/// An issuer with keys that a test made, and what its tokens say unless they are told something else.
struct TestIssuer {
  static let url = "https://login.example.org"
  /// Seconds since 1970.
  static let now: Int64 = 1_800_000_000

  static func claims(
    _ subject: String = "ada", audience: String = #""lastword""#, issuer: String = url,
    end: String = "1800000060",
    _ more: String = ""
  ) -> String {
    #"{"iss":"\#(issuer)","aud":\#(audience),"sub":"\#(subject)","exp":\#(end)\#(more)}"#
  }

  static func options(_ keys: [TestKey], name: String = "login") throws -> IssuerOptions {
    try options(TestKey.set(keys), name: name)
  }

  static func options(_ keys: String, name: String = "login") throws -> IssuerOptions {
    var options = IssuerOptions(name: name, issuer: url, audiences: ["lastword", "other"])
    options.keys = try JSONWebKeySet(Array(keys.utf8))
    options.leewayMilliseconds = 0
    return options
  }
}

extension PrincipalDirectory {
  /// Who a token says somebody is, at the time of the tests.
  func identity(_ token: String, seconds: Int64 = TestIssuer.now) throws(TokenFault) -> IssuedIdentity {
    try identity(of: Array(token.utf8), atUnixMilliseconds: seconds * 1_000)
  }
}
