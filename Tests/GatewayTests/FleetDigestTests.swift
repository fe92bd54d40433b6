import Addresses
import GatewayCore
import Identity
import Testing

@testable import Gateway

/// By what members of a fleet notice that their configurations differ.
@Suite struct FleetDigestTests {
  private func digest(_ principals: [PrincipalOptions], _ issuers: [IssuerOptions] = []) -> UInt64 {
    var options = ServerOptions(
      listen: [], upstreams: [ServerOptions.Upstream(.address(.tcp(host: "127.0.0.1", port: 1)))], seed: 1)
    options.core.principals = principals
    options.core.issuers = issuers
    return options.digest
  }

  private func principal(_ name: String, users: [UInt32], namespace: String? = nil) -> PrincipalOptions {
    var principal = PrincipalOptions(name: name)
    principal.users = users
    principal.namespace = namespace
    return principal
  }

  @Test func `who may come is part of it, in whatever order that is said`() {
    let (ada, eve) = (principal("ada", users: [1, 2]), principal("eve", users: [3]))
    let both = digest([ada, eve])
    #expect(both == digest([eve, principal("ada", users: [2, 1])]))
    let issuer = IssuerOptions(name: "i", issuer: "https://i", audiences: ["a"])
    let others = [
      digest([]), digest([ada]), digest([ada, principal("eve", users: [4])]),
      digest([ada, principal("eve", users: [3], namespace: "ada")]), digest([ada, eve], [issuer]),
    ]
    #expect(!others.contains(both) && Set(others).count == others.count)
  }
}
