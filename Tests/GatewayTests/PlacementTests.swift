import Addresses
import Fleet
import Foundation
import Testing

@testable import Gateway
@testable import GatewayCore

/// Where members of a fleet have its keys: as `proto/placement.json` says, whose values another program has made. Members
/// that differed in this would each have some key.
@Suite struct PlacementTests {
  private struct Vectors: Decodable {
    struct Seed: Decodable {
      let fleet: String
      let seed: String
    }

    struct Key: Decodable {
      let fleet: String
      let listener: Int
      let namespace: String?
      let key: String
      let hash: String
      let partition: Int
    }

    struct Owner: Decodable {
      let fleet: String
      let partition: Int
      let members: [String]
      let first: String
    }

    let partitions: Int
    let seeds: [Seed]
    let keys: [Key]
    let owners: [Owner]
  }

  private let vectors: Vectors

  init() throws {
    let repository = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let file = repository.appendingPathComponent("proto/placement.json")
    vectors = try JSONDecoder().decode(Vectors.self, from: Data(contentsOf: file))
  }

  private func seed(of fleet: String) throws -> UInt64 {
    let text = try #require(vectors.seeds.first { $0.fleet == fleet }?.seed)
    return try #require(UInt64(text, radix: 16))
  }

  @Test func `a fleet's seed is made from its name, whatever its secret is`() throws {
    for vector in vectors.seeds {
      var options = FleetOptions(
        name: vector.fleet, engine: [], listen: .tcp(host: "127.0.0.1", port: 1), secret: [])
      #expect(options.seed == UInt64(vector.seed, radix: 16))
      options.secret = Array("another".utf8)
      #expect(options.seed == UInt64(vector.seed, radix: 16))
    }
    #expect(vectors.seeds.count > 1 && vectors.partitions == FleetOptions.partitions)
  }

  @Test func `keys are of the partitions that the contract says`() throws {
    for vector in vectors.keys {
      let place = LoopPlace(
        number: 0, of: 2, seed: try seed(of: vector.fleet), isInFleet: true, partitions: vectors.partitions)
      var peers = Peers(place, labelSeed: 1)
      let owner = peers.owner(listener: vector.listener, namespace: vector.namespace)
      let found = peers.place(of: Array(vector.key.utf8).span, owner)
      #expect(found.partition == vector.partition, "\(vector)")
      #expect(found.name == UInt64(vector.hash, radix: 16), "\(vector)")
    }
    #expect(vectors.keys.count > 10)
  }

  @Test func `partitions are at the members that the contract says`() throws {
    for vector in vectors.owners {
      let members = try vector.members.map { try #require(MemberID(text: $0)) }
      let first = Rendezvous(seed: try seed(of: vector.fleet)).first(for: vector.partition, among: members)
      #expect(first?.text == vector.first, "\(vector)")
    }
    #expect(Set(vectors.owners.map(\.first)).count > 1)
  }

  @Test func `what tells apart what waits is not what the fleet's name tells`() {
    let place = LoopPlace(number: 0, of: 2, seed: 7, isInFleet: true)
    var one = Peers(place, labelSeed: 1)
    var other = Peers(place, labelSeed: 2)
    let key = Array("k".utf8)
    let labels = [one.label(ofGroup: key.span), other.label(ofGroup: key.span)]
    let names = [one.place(of: key.span, 0).name, other.place(of: key.span, 0).name]
    #expect(labels[0] != labels[1] && names[0] == names[1])
  }
}
