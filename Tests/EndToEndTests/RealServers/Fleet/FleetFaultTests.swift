import Fleet
import Foundation
import TestSupport
import Testing

extension RealServerTests {
  /// Members that etcd, or the others, cannot be relied on by: beside a real etcd.
  @Suite struct FleetFaultTests {
    private static let partitions = 256

    /// Requests with keys of their own, which lie all over the fleet.
    private func send(_ beginning: String, over client: LineSocket) throws {
      for number in 1...16 {
        let key = "\(beginning)\(number)"
        try client.send(request(number, "echo", "[1]", key: key, task: #","timeoutMs":60000"#))
      }
    }

    private func expectServed(_ gateways: some Collection<RunningGateway>, _ beginning: String) throws {
      for gateway in gateways {
        let client = try gateway.connect()
        try send(beginning, over: client)
        #expect(try client.replies(16).allSatisfy { $0.code == nil })
      }
    }

    private func awaitAll(_ gateway: RunningGateway) throws {
      let _: Bool = try eventually("it has all partitions") {
        try gateway.metrics()["lastword_fleet_partitions"] == Double(Self.partitions) ? true : nil
      }
    }

    @Test func `a member that is cut off from etcd acts no more, and the others have its keys`() throws {
      let etcd = try EtcdServer(fleet: "search")
      let cable = try Cable(to: etcd.address)
      let fleet = try TestFleet(members: 1, on: [etcd.address])
      try fleet.start(nil, ["LASTWORD_FLEET_ENGINE": "etcd:http://\(cable.address)"])
      try fleet.awaitReady()
      let (other, cutOff) = (fleet.gateways[0], fleet.gateways[1])
      cable.cut()
      let _: Bool = try eventually("it acts no more") {
        try cutOff.metrics()["lastword_fleet_acts"] == 0 ? true : nil
      }
      try awaitAll(other)
      #expect(try AdminAnswer(to: "GET", "/readyz", [], from: other.adminAddress).status == 200)
      try expectServed([other], "c")
      // Nobody has told it yet.
      #expect(try cutOff.metrics()["lastword_fleet_acts"] == 0)
      cable.mend()
      let _: Bool = try eventually("it has joined again") {
        try cutOff.metrics()["lastword_fleet_declared_dead_total"] == 1 ? true : nil
      }
      try fleet.awaitReady()
      #expect(try other.metrics()["lastword_fleet_declared_dead_total"] == 0)
      try expectServed(fleet.gateways, "d")
    }

    @Test func `a member that no other can connect to gets nothing as long as others have the keys`() throws {
      let etcd = try EtcdServer(fleet: "search")
      let fleet = try TestFleet(members: 2, on: [etcd.address])
      // It takes connections and says nothing.
      let nobody = try ListeningSocket()
      try fleet.start(nil, ["LASTWORD_FLEET_ADVERTISE": "127.0.0.1:\(nobody.port)"])
      let lost = fleet.gateways[2]
      for gateway in fleet.gateways.prefix(2) {
        try gateway.awaitLog("cannot reach another member of the fleet")
        #expect(try gateway.metrics()["lastword_fleet_members"] == 3)
      }
      // Its own clients are served by the others.
      try expectServed(fleet.gateways, "a")
      #expect(try lost.metrics()["lastword_fleet_partitions"] == 0)
      #expect(try lost.metrics()["lastword_fleet_forwarded_requests_total"] ?? 0 >= 16)
      for gateway in fleet.gateways.prefix(2) { gateway.program.kill() }
      // It is better than nobody.
      try awaitAll(lost)
      try expectServed([lost], "b")
    }

    @Test func `members whose records were deleted do nothing more until they are started anew`() throws {
      let etcd = try EtcdServer(fleet: "search")
      let fleet = try TestFleet(members: 2, on: [etcd.address])
      try expectServed(fleet.gateways, "a")
      let deletions = (0..<Self.partitions).map { EngineWrite.delete(.partition($0)) }
      for part in stride(from: 0, to: Self.partitions, by: 32) {
        let transaction = EngineTransaction(conditions: [], writes: Array(deletions[part..<part + 32]))
        _ = try etcd.ask(.transaction(transaction))
      }
      for gateway in fleet.gateways {
        try gateway.awaitLog("records of the fleet have been deleted in etcd; it has to be restarted")
        let ready = try AdminAnswer(to: "GET", "/readyz", [], from: gateway.adminAddress)
        #expect(ready.status == 503 && ready.body.contains("the fleet: halted"), "\(ready)")
        // Nobody has them, and nobody takes them.
        #expect(try gateway.metrics()["lastword_fleet_acts"] == 0)
        #expect(gateway.stop() == 0)
      }
      let anew = try TestFleet(members: 2, on: [etcd.address])
      try expectServed(anew.gateways, "a")
    }

    @Test func `a member that has other routes is told of in the log, and counted`() throws {
      let etcd = try EtcdServer(fleet: "search")
      let fleet = try TestFleet(members: 1, on: [etcd.address])
      let directory = try TemporaryDirectory()
      let file = directory.path + "/lastword.toml"
      let settings =
        "[[upstream]]\nname = 'u'\naddress = '\(fleet.upstream.address)'\n[[route]]\nmethod = 'x'\nkey = '/k'\n"
      try Data(settings.utf8).write(to: URL(fileURLWithPath: file))
      let other = try RunningGateway(
        ["--config", file],
        environment: TestFleet.environment([etcd.address], try TestFleet.secret(in: directory)))
      for gateway in [fleet.gateways[0], other] {
        try gateway.awaitLog("another member has other routes, upstreams, listeners or principals")
        let _: Bool = try eventually("each loop that asks is counted") {
          let metrics = try gateway.metrics()
          return metrics["lastword_fleet_asking_loops"] == Double(RunningGateway.loops)
            && metrics["lastword_fleet_differing_loops"] == Double(RunningGateway.loops) ? true : nil
        }
      }
    }
  }
}
