import Fleet
import Foundation
import TestSupport
import Testing

extension RealServerTests {
  /// Gateways that are members of one fleet, beside a real etcd and one upstream that they share.
  @Suite struct FleetGatewayTests {
    private func sleeping(_ id: Int, key: String, milliseconds: Int, _ task: String = "") -> String {
      request(id, "sleep", #"{"ms":\#(milliseconds),"q":"\#(id)"}"#, key: key, task: task)
    }

    /// Requests with keys of their own, the beginning and the number, that wait patiently.
    private func send(
      _ numbers: ClosedRange<Int>, _ beginning: String, milliseconds: Int, over client: LineSocket,
      timeoutMs: Int = 60_000
    ) throws {
      for number in numbers {
        try client.send(
          sleeping(
            number, key: "\(beginning)\(number)", milliseconds: milliseconds,
            #","timeoutMs":\#(timeoutMs)"#))
      }
    }

    @Test func `the newest request of a key wins, whichever member its client is connected to`() throws {
      let etcd = try EtcdServer(fleet: "search")
      let fleet = try TestFleet(members: 3, on: [etcd.address])
      let clients = try fleet.gateways.map { try $0.connect() }
      for number in 0..<12 {
        let key = "box-\(number)"
        try clients[0].send(sleeping(1, key: key, milliseconds: 20_000))
        // It is known that it has come where its key is once somebody else can see it.
        try eventually("the first is at work") {
          try clients[2].send(
            #"{"jsonrpc":"2.0","id":9,"method":"lastword.inspect","params":{"key":"\#(key)"}}"#)
          return try clients[2].expect().contains(#""state":"running""#) ? true : nil
        }
        try clients[1].send(sleeping(2, key: key, milliseconds: 5))
        #expect(try clients[0].reply().code == -32080)
        #expect(try clients[1].reply().code == nil)
      }
      // Requests that are open nowhere have left nothing behind.
      for gateway in fleet.gateways { #expect(try gateway.metrics()["lastword_requests_open"] == 0) }
    }

    @Test func `what a killed member had is served by the others, and what it was asked may have been done`()
      throws
    {
      let etcd = try EtcdServer(fleet: "search")
      let fleet = try TestFleet(members: 3, on: [etcd.address])
      let client = try fleet.gateways[0].connect()
      for number in 1...30 { try client.send(sleeping(number, key: "k\(number)", milliseconds: 20_000)) }
      try fleet.awaitOpen(30)
      fleet.gateways[2].program.kill()
      try eventually("its connection is missing") {
        try fleet.gateways[0].metrics()["lastword_fleet_links"] == Double(RunningGateway.loops) ? true : nil
      }
      // Nothing is wrong with the others.
      for gateway in fleet.gateways.prefix(2) {
        #expect(try AdminAnswer(to: "GET", "/readyz", [], from: gateway.adminAddress).status == 200)
      }
      // Some of the keys were its own.
      let reply = try client.reply()
      #expect(reply.code == -32084)
      try eventually("the others have all partitions") {
        try fleet.gateways[0].metrics()["lastword_fleet_members"] == 2
          && fleet.gateways[0].metrics()["lastword_fleet_partitions_unowned"] == 0 ? true : nil
      }
      let other = try fleet.gateways[1].connect()
      try send(1...30, "k", milliseconds: 0, over: other, timeoutMs: 30000)
      #expect(try other.replies(30).allSatisfy { $0.code == nil })
    }

    @Test func `who was ready when nobody asked stays so when another member is killed`() throws {
      let etcd = try EtcdServer(fleet: "search")
      let fleet = try TestFleet(members: 2, on: [etcd.address])
      try fleet.start()
      let third = fleet.gateways[2]
      for _ in 0..<2 * RunningGateway.loops { try third.awaitLog("linked to another member of the fleet") }
      try eventually("it has its part") {
        let metrics = try fleet.gateways[0].metrics()
        return metrics["lastword_fleet_members"] == 3 && metrics["lastword_fleet_partitions_unowned"] == 0
          ? true : nil
      }
      let client = try third.connect()
      try send(1...30, "k", milliseconds: 0, over: client)
      #expect(try client.replies(30).allSatisfy { $0.code == nil })
      // It looks at itself several times meanwhile.
      try client.send(sleeping(31, key: "k31", milliseconds: 1_000))
      #expect(try client.reply().code == nil)
      fleet.gateways[1].program.kill()
      try third.awaitLog("cannot reach another member of the fleet")
      #expect(try AdminAnswer(to: "GET", "/readyz", [], from: third.adminAddress).status == 200)
    }

    @Test func `while etcd stands still requests wait, and then go on`() throws {
      let etcd = try EtcdServer(fleet: "search")
      let fleet = try TestFleet(members: 2, on: [etcd.address])
      let clients = try fleet.gateways.map { try $0.connect() }
      etcd.pause()
      for gateway in fleet.gateways {
        try eventually("no member may act") {
          try gateway.metrics()["lastword_fleet_acts"] == 0 ? true : nil
        }
      }
      for (index, client) in clients.enumerated() {
        for number in 1...8 {
          try client.send(
            sleeping(number, key: "\(index)-\(number)", milliseconds: 0, #","timeoutMs":60000"#))
        }
      }
      #expect(clients.allSatisfy { !$0.hasNews })
      etcd.goOn()
      for client in clients { #expect(try client.replies(8).allSatisfy { $0.code == nil }) }
    }

    @Test func `an engine that takes what it is asked and never answers is left for the next`() throws {
      let silent = try ListeningSocket()
      let etcd = try EtcdServer(fleet: "search")
      let fleet = try TestFleet(members: 2, on: ["127.0.0.1:\(silent.port)", etcd.address])
      let client = try fleet.gateways[0].connect()
      try send(1...8, "k", milliseconds: 0, over: client)
      #expect(try client.replies(8).allSatisfy { $0.code == nil })
      // What was asked there is given up.
      let asked = try silent.accept()
      let _: Bool = try eventually("it is hung up on") { asked.isClosedByPeer() ? true : nil }
    }

    @Test func `what an engine never answers does not add up`() throws {
      let silent = try ListeningSocket()
      let directory = try TemporaryDirectory()
      let gateway = try RunningGateway(
        upstream: "tcp:127.0.0.1:1", reachesUpstream: false,
        environment: TestFleet.environment(["127.0.0.1:\(silent.port)"], try TestFleet.secret(in: directory)))
      let asked = try (0..<6).map { _ in try silent.accept() }
      for connection in asked {
        let _: Bool = try eventually("it is given up") { connection.isClosedByPeer() ? true : nil }
      }
      #expect(gateway.stop() == 0)
    }

    @Test func `an upstream that wants it is told by what it can refuse what comes late`() throws {
      let etcd = try EtcdServer(fleet: "search")
      let upstream = try ListeningSocket()
      let directory = try TemporaryDirectory()
      let file = directory.path + "/lastword.toml"
      let settings =
        "[[upstream]]\nname = 'u'\naddress = 'tcp:127.0.0.1:\(upstream.port)'\npassFence = true\n"
      try Data(settings.utf8).write(to: URL(fileURLWithPath: file))
      let gateway = try RunningGateway(
        ["--config", file], reachesUpstream: false,
        environment: TestFleet.environment([etcd.address], try TestFleet.secret(in: directory)))
      // Each loop with clients has one, and so has the one with the partitions.
      let connections = try (0...RunningGateway.loops).map { _ in try upstream.accept() }
      try gateway.connect().send(request(1, "save", "{}", key: "k", task: #","timeoutMs":60000"#))
      let heard = try eventually("it has come") { try connections.first { $0.hasNews }?.expect() }
      #expect(heard.contains(/"fence":{"partition":\d+,"epoch":1,"generation":\d+}}$/))
    }

    @Test func `a member that is told to stop gives its keys away, and what runs there ends well`() throws {
      let etcd = try EtcdServer(fleet: "search")
      let fleet = try TestFleet(members: 3, on: [etcd.address])
      let client = try fleet.gateways[0].connect()
      try send(1...20, "r", milliseconds: 700, over: client)
      try fleet.awaitOpen(20)
      #expect(fleet.gateways[1].stop() == 0)
      try send(21...40, "r", milliseconds: 0, over: client)
      let replies = try client.replies(40)
      #expect(replies.allSatisfy { $0.code == nil })
      try eventually("two members have all") {
        try fleet.gateways[0].metrics()["lastword_fleet_members"] == 2
          && fleet.gateways[0].metrics()["lastword_fleet_partitions_unowned"] == 0 ? true : nil
      }
    }

    @Test func `a member that is told to stop leaves, however long what runs there would take`() throws {
      let etcd = try EtcdServer(fleet: "search")
      let fleet = try TestFleet(
        members: 2, on: [etcd.address],
        environment: ["LASTWORD_DRAIN_MS": "100", "LASTWORD_FLEET_HANDOVER_MS": "1000"])
      let client = try fleet.gateways[0].connect()
      try send(1...20, "s", milliseconds: 40_000, over: client)
      try fleet.awaitOpen(20)
      #expect(fleet.gateways[1].stop() == 0)
      // Nobody has to wait for its death.
      let members = try etcd.all().records.count { if case .member = $0.key { true } else { false } }
      #expect(members == 1)
    }

    @Test func `a member that has given up its own clients still gives its keys away`() throws {
      let etcd = try EtcdServer(fleet: "search")
      let fleet = try TestFleet(
        members: 2, on: [etcd.address],
        environment: ["LASTWORD_DRAIN_MS": "100", "LASTWORD_FLEET_HANDOVER_MS": "30000"])
      let own = try fleet.gateways[1].connect()
      try own.send(sleeping(17, key: "own", milliseconds: 50_000, #","scope":"connection""#))
      let client = try fleet.gateways[0].connect()
      // Longer than it takes to be declared dead.
      try send(1...16, "g", milliseconds: 9_000, over: client)
      try fleet.awaitOpen(17)
      #expect(fleet.gateways[1].stop() == 0)
      #expect(try own.reply().code == -32085)
      #expect(try client.replies(16).allSatisfy { $0.code == nil })
    }

    @Test func `any member can be asked to drain another, which serves its clients on`() throws {
      let etcd = try EtcdServer(fleet: "search")
      let fleet = try TestFleet(members: 2, on: [etcd.address])
      let clients = try fleet.gateways.map { try $0.connect() }
      try send(1...16, "d", milliseconds: 700, over: clients[0])
      try fleet.awaitOpen(16)
      let status = try AdminAnswer(to: "GET", "/fleet", [], from: fleet.gateways[0].adminAddress).body
      let other = try #require(
        status.firstMatch(of: /"member":"([^"]+)","address":"([^"]+)"[^}]*"self":0/))
      let own = try fleet.peerAddress(of: fleet.gateways[0])
      let admin = try #require(fleet.gateways[0].adminAddress)
      func drain(_ name: String) throws -> (status: Int32?, line: String) {
        let program = try RunningProgram(Programs.lastword, ["fleet", "drain", name, "--admin", admin])
        let line = program.outputLine() ?? program.errorLine() ?? ""
        return (program.exitStatus(), line)
      }
      let unknown = try drain("127.0.0.1:1")
      #expect(unknown.status == 1 && unknown.line.hasSuffix("no member is called that"))
      #expect(try drain(String(other.2)) == (0, "it gives its keys away"))
      try eventually("the one that was asked has all") {
        try fleet.gateways[0].metrics()["lastword_fleet_partitions"] == 256 ? true : nil
      }
      try send(17...32, "e", milliseconds: 0, over: clients[1])
      for client in clients { #expect(try client.replies(16).allSatisfy { $0.code == nil }) }
      // Nobody else could have the last one's keys, and who has left has none.
      let last = try drain(own)
      #expect(last.status == 1 && last.line.hasSuffix("no other member is there that could have its keys"))
      let drained = try #require(fleet.gateways[1].adminAddress)
      try eventually("it has left") {
        let program = try RunningProgram(Programs.lastword, ["fleet", "drain", "--admin", drained])
        let line = program.outputLine() ?? program.errorLine() ?? ""
        return program.exitStatus() == 1 && line.hasSuffix("this member has no keys") ? true : nil
      }
    }

    @Test func `a member that was drained gives up another that says nothing more, too`() throws {
      let etcd = try EtcdServer(fleet: "search")
      let fleet = try TestFleet(members: 2, on: [etcd.address])
      let admin = try #require(fleet.gateways[1].adminAddress)
      let program = try RunningProgram(Programs.lastword, ["fleet", "drain", "--admin", admin])
      #expect(program.exitStatus() == 0)
      try eventually("it has left") {
        let metrics = try fleet.gateways[0].metrics()
        return metrics["lastword_fleet_members"] == 1 && metrics["lastword_fleet_partitions"] == 256
          ? true : nil
      }
      let client = try fleet.gateways[1].connect()
      try send(1...8, "q", milliseconds: 50_000, over: client, timeoutMs: 20_000)
      try fleet.awaitOpen(8)
      // Nobody is there who could declare it dead.
      kill(fleet.gateways[0].program.identifier, SIGSTOP)
      #expect(try client.replies(8).allSatisfy { $0.code == -32084 })
    }

    @Test func `what is newer ends what is older at once, though its key is about to be given away`() throws {
      let etcd = try EtcdServer(fleet: "search")
      let fleet = try TestFleet(members: 2, on: [etcd.address])
      let clients = try fleet.gateways.map { try $0.connect() }
      // Less than what runs is given, so that it would end well.
      for number in 1...16 {
        try clients[0].send(sleeping(number, key: "n\(number)", milliseconds: 4_000))
      }
      try fleet.awaitOpen(16)
      let drained = try fleet.gateways[1].metrics()["lastword_requests_open"] ?? 0
      #expect(drained > 0)
      let admin = try #require(fleet.gateways[1].adminAddress)
      let program = try RunningProgram(Programs.lastword, ["fleet", "drain", "--admin", admin])
      #expect(program.exitStatus() == 0)
      try send(1...16, "n", milliseconds: 0, over: clients[1])
      #expect(try clients[0].replies(16).allSatisfy { $0.code == -32080 })
      #expect(try clients[1].replies(16).allSatisfy { $0.code == nil })
    }

    @Test func `a member that stood still is declared dead, and says nothing that is out of date`() throws {
      let etcd = try EtcdServer(fleet: "search")
      let fleet = try TestFleet(members: 2, on: [etcd.address])
      let clients = try fleet.gateways.map { try $0.connect() }
      try send(1...16, "s", milliseconds: 3_000, over: clients[0])
      try fleet.awaitOpen(16)
      kill(fleet.gateways[1].program.identifier, SIGSTOP)
      try eventually("the other has all partitions") {
        try fleet.gateways[0].metrics()["lastword_fleet_members"] == 1
          && fleet.gateways[0].metrics()["lastword_fleet_partitions_unowned"] == 0 ? true : nil
      }
      kill(fleet.gateways[1].program.identifier, SIGCONT)
      // What the one that went on had is its own; of what the other had nobody knows.
      let replies = try clients[0].replies(16)
      #expect(replies.allSatisfy { $0.code == nil || $0.code == -32084 })
      #expect(replies.contains { $0.code == -32084 })
      try eventually("it has joined again") {
        try fleet.gateways[1].metrics()["lastword_fleet_declared_dead_total"] == 1 ? true : nil
      }
      try fleet.awaitReady()
      try send(1...16, "s", milliseconds: 0, over: clients[1])
      #expect(try clients[1].replies(16).allSatisfy { $0.code == nil })
    }

    @Test func `when the leader of three etcds is killed, nobody waits for long and nothing is lost`() throws
    {
      let etcd = try EtcdCluster()
      let fleet = try TestFleet(members: 3, on: etcd.addresses)
      let clients = try fleet.gateways.map { try $0.connect() }
      try etcd.killLeader()
      for round in 1...20 {
        for (index, client) in clients.enumerated() {
          try client.send(
            sleeping(round, key: "\(index)-\(round)", milliseconds: 250, #","timeoutMs":60000"#))
        }
        for client in clients { #expect(try client.reply().code == nil) }
      }
      try fleet.awaitReady()
      for gateway in fleet.gateways {
        #expect(try gateway.metrics()["lastword_fleet_declared_dead_total"] == 0)
      }
    }

    @Test func `what was asked over a cut connection is not heard of later, and what is asked then waits`()
      throws
    {
      let etcd = try EtcdServer(fleet: "search")
      let cable = try Cable()
      let fleet = try TestFleet(members: 2, on: [etcd.address], cables: [cable])
      // Its client is with the other one.
      let client = try fleet.gateways[1].connect()
      try send(1...16, "c", milliseconds: 20_000, over: client)
      try fleet.awaitOpen(16)
      let there = try fleet.gateways[0].metrics()["lastword_requests_open"] ?? 0
      #expect(there > 0 && there < 16)
      cable.cut()
      // Those that ran there are lost for who asked: nobody can say what becomes of them.
      let lost = try client.replies(Int(there))
      #expect(lost.allSatisfy { $0.code == -32084 })
      for number in 17...32 {
        try client.send(
          sleeping(number, key: "c\(number - 16)", milliseconds: 0, #","timeoutMs":60000"#))
      }
      // The ones that are superseded here, and what supersedes them.
      let here = 16 - Int(there)
      let replies = try client.replies(2 * here)
      #expect(replies.count { $0.code == -32080 } == here)
      #expect(replies.count { $0.code == nil } == here)
      #expect(!client.hasNews)
      cable.mend()
      #expect(try client.replies(Int(there)).allSatisfy { $0.code == nil })
      #expect(!client.hasNews)
    }
  }
}
