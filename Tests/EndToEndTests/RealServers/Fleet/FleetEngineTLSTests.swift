import Foundation
import TestSupport
import Testing

extension RealServerTests {
  /// Members that speak TLS to etcd.
  @Suite struct FleetEngineTLSTests {
    private let authority: TestAuthority
    private let trusting: [String: String]

    init() throws {
      authority = try TestAuthority()
      trusting = ["LASTWORD_FLEET_ENGINE_CA_FILE": authority.certificate]
    }

    private func expectServed(_ fleet: TestFleet) throws {
      for gateway in fleet.gateways {
        let client = try gateway.connect()
        for number in 1...16 { try client.send(request(number, "echo", "[1]", key: "s\(number)")) }
        #expect(try client.replies(16).allSatisfy { $0.code == nil })
      }
    }

    /// What a member that cannot join says of etcd.
    private func complaint(about etcd: EtcdServer, _ environment: [String: String]) throws -> String {
      let directory = try TemporaryDirectory()
      let common = TestFleet.environment([etcd.url], try TestFleet.secret(in: directory))
      let gateway = try RunningGateway(environment: common.merging(environment) { $1 })
      defer { gateway.program.kill() }
      return try gateway.awaitLog("etcd does not answer as it should")
    }

    @Test func `members join over an etcd whose authority they are told`() throws {
      let etcd = try EtcdServer(fleet: "search", secure: try authority.localPaper())
      try expectServed(try TestFleet(members: 2, on: [etcd.url], environment: trusting))
    }

    @Test func `an etcd that another authority vouches for is asked nothing, and the log says why`() throws {
      let foreign = try TestAuthority(name: "Foreign authority")
      let etcd = try EtcdServer(fleet: "search", secure: try foreign.localPaper())
      for environment in [trusting, [:]] {
        let line = try complaint(about: etcd, environment)
        #expect(line.contains(etcd.url) && line.contains("certificate"), "\(line)")
      }
    }

    @Test func `an etcd that asks for a certificate is shown one`() throws {
      let etcd = try EtcdServer(
        fleet: "search", secure: try authority.localPaper(), clientCA: authority)
      let member = try authority.paper("member", subject: "/CN=member", names: [])
      let shown = [
        "LASTWORD_FLEET_ENGINE_CERTIFICATE": member.certificate, "LASTWORD_FLEET_ENGINE_KEY": member.key,
      ]
      try expectServed(
        try TestFleet(members: 2, on: [etcd.url], environment: trusting.merging(shown) { $1 }))
      // TLS 1.3 has it connected before it is refused: what libcurl says of that differs.
      let line = try complaint(about: etcd, trusting)
      #expect(line.contains(etcd.url), "\(line)")
    }
  }
}
