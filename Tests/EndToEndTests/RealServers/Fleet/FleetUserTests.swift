import Foundation
import TestSupport
import Testing

extension RealServerTests {
  /// Members that have a user of etcd's.
  @Suite struct FleetUserTests {
    private let directory: TemporaryDirectory
    private let user: [String: String]

    init() throws {
      directory = try TemporaryDirectory()
      let path = directory.path + "/password"
      try Data("right".utf8).write(to: URL(fileURLWithPath: path))
      user = ["LASTWORD_FLEET_USER": "root", "LASTWORD_FLEET_PASSWORD_FILE": path]
    }

    @Test(arguments: [true, false])
    func `members join and see each other, whether or not etcd asks who they are`(etcdAsks: Bool) throws {
      let etcd = try EtcdServer(fleet: "search")
      if etcdAsks { try etcd.askWho(password: "right") }
      let fleet = try TestFleet(members: 2, on: [etcd.address], environment: user)
      for gateway in fleet.gateways {
        let client = try gateway.connect()
        for number in 1...16 { try client.send(request(number, "echo", "[1]", key: "u\(number)")) }
        #expect(try client.replies(16).allSatisfy { $0.code == nil })
      }
    }

    @Test func `a server that is no etcd is left for the next`() throws {
      let etcd = try EtcdServer(fleet: "search")
      try etcd.askWho(password: "right")
      let other = try RunningGateway(environment: ["LASTWORD_ADMIN_ADDRESS": "127.0.0.1:0"])
      let pages = try #require(other.adminAddress)
      _ = try TestFleet(members: 1, on: [pages, etcd.address], environment: user)
    }

    @Test func `that the password is wrong is told as etcd says it`() throws {
      let etcd = try EtcdServer(fleet: "search")
      try etcd.askWho(password: "another")
      let secret = try TestFleet.secret(in: directory)
      let environment = TestFleet.environment([etcd.address], secret).merging(user) { $1 }
      let gateway = try RunningGateway(environment: environment)
      let line = try gateway.awaitLog("etcd does not let this member say who it is")
      #expect(line.contains("authentication failed"))
      gateway.program.kill()
    }
  }
}
