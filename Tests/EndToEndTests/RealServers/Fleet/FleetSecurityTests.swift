import Foundation
import TestSupport
import Testing

extension RealServerTests {
  /// Who is a member, and who is not.
  @Suite struct FleetSecurityTests {
    /// As many as may be connected without having said who they are.
    private static let mostStrangers = 64

    private func papers(_ paper: TestAuthority.Paper, of authority: TestAuthority) -> [String: String] {
      [
        "LASTWORD_FLEET_TLS_CERTIFICATE": paper.certificate, "LASTWORD_FLEET_TLS_KEY": paper.key,
        "LASTWORD_FLEET_TLS_CA": authority.certificate,
      ]
    }

    /// Keys of both members are served for clients of each.
    private func expectServed(_ fleet: TestFleet) throws {
      for gateway in fleet.gateways {
        let client = try gateway.connect()
        for number in 1...16 { try client.send(request(number, "echo", "[1]", key: "t\(number)")) }
        #expect(try client.replies(16).allSatisfy { $0.code == nil })
      }
    }

    @Test func `who does not know the secret is no member's peer`() throws {
      let etcd = try EtcdServer(fleet: "search")
      let fleet = try TestFleet(members: 2, on: [etcd.address])
      let stranger = try LineSocket(try fleet.peerAddress(of: fleet.gateways[0]))
      // It is greeted, and hung up on when it says what is none.
      try stranger.send(bytes: [3, 0, 0, 0, 2, 1, 2, 3])
      let _: Bool = try eventually("it is hung up on") { stranger.isClosedByPeer() ? true : nil }
      try fleet.gateways[0].awaitLog("refused a connection of another member of the fleet")
      #expect(try fleet.gateways[0].metrics()["lastword_fleet_links"] == Double(RunningGateway.loops))
    }

    @Test func `who says nothing of himself keeps no member out, and is hung up on`() throws {
      let etcd = try EtcdServer(fleet: "search")
      let fleet = try TestFleet(members: 1, on: [etcd.address])
      let address = try fleet.peerAddress(of: fleet.gateways[0])
      let silent = try (0..<Self.mostStrangers).map { _ in try LineSocket(address) }
      // One more takes the place of the oldest.
      let another = try LineSocket(address)
      let _: Bool = try eventually("the oldest has to go") { silent[0].isClosedByPeer() ? true : nil }
      for stranger in silent.dropFirst() + [another] {
        let _: Bool = try eventually("it is hung up on") { stranger.isClosedByPeer() ? true : nil }
      }
      #expect(try fleet.gateways[0].metrics()["lastword_fleet_acts"] == 1)
    }

    @Test func `members that have certificates need no secret, and nothing they say can be read`() throws {
      let (etcd, authority) = (try EtcdServer(fleet: "search"), try TestAuthority())
      let fleet = try TestFleet(
        members: 2, on: [etcd.address], papers: papers(try authority.localPaper(), of: authority))
      try expectServed(fleet)
      // Without TLS nobody is greeted; with it, not without a certificate.
      let address = try fleet.peerAddress(of: fleet.gateways[0])
      let plain = try LineSocket(address)
      try plain.send(bytes: [3, 0, 0, 0, 2, 1, 2, 3])
      let _: Bool = try eventually("it is hung up on") { plain.isClosedByPeer() ? true : nil }
      let nameless = try RunningProgram(
        "/usr/bin/env",
        ["openssl", "s_client", "-ign_eof", "-connect", address, "-CAfile", authority.certificate])
      #expect(nameless.exitStatus() == 1)
    }

    @Test func `a certificate of another authority makes no member, and says so`() throws {
      let etcd = try EtcdServer(fleet: "search")
      let (authority, foreign) = (try TestAuthority(), try TestAuthority(name: "Foreign authority"))
      let fleet = try TestFleet(
        members: 1, on: [etcd.address], papers: papers(try authority.localPaper(), of: authority))
      let other = try RunningGateway(
        upstream: fleet.upstream.address,
        environment: TestFleet.environment([etcd.address], nil)
          .merging(papers(try foreign.localPaper(), of: authority)) { $1 })
      try other.awaitLog("cannot reach another member of the fleet")
      try fleet.gateways[0].awaitLog("cannot reach another member of the fleet")
      #expect(try fleet.gateways[0].metrics()["lastword_fleet_links"] == 0)
      #expect(try other.metrics()["lastword_fleet_links"] == 0)
    }

    @Test func `a reload takes a new certificate for the next connection`() throws {
      let etcd = try EtcdServer(fleet: "search")
      let (authority, next) = (try TestAuthority(), try TestAuthority(name: "Next authority"))
      let paper = try authority.localPaper()
      let fleet = try TestFleet(
        members: 2, on: [etcd.address], papers: papers(paper, of: authority))
      // All at once, as a file is replaced.
      let new = try next.localPaper()
      for (file, other) in [
        (paper.certificate, new.certificate), (paper.key, new.key),
        (authority.certificate, next.certificate),
      ] {
        try Data(contentsOf: URL(fileURLWithPath: other)).write(
          to: URL(fileURLWithPath: file), options: .atomic)
      }
      for gateway in fleet.gateways {
        gateway.program.signal(SIGHUP)
        try gateway.awaitLog("configuration reloaded")
      }
      // Connections stay.
      try fleet.awaitReady()
      // One that stood still is declared dead, and is linked anew.
      kill(fleet.gateways[1].program.identifier, SIGSTOP)
      try eventually("the other has all partitions") {
        try fleet.gateways[0].metrics()["lastword_fleet_members"] == 1
          && fleet.gateways[0].metrics()["lastword_fleet_partitions_unowned"] == 0 ? true : nil
      }
      kill(fleet.gateways[1].program.identifier, SIGCONT)
      try fleet.awaitReady()
      try expectServed(fleet)
      let seen = try RunningProgram(
        "/usr/bin/env",
        [
          "openssl", "s_client", "-connect", try fleet.peerAddress(of: fleet.gateways[0]),
          "-verify_return_error", "-CAfile", next.certificate, "-cert", new.certificate, "-key", new.key,
        ])
      try seen.endInput()
      #expect(seen.exitStatus() == 0)
    }
  }
}
