/// How often each has happened.
package struct FleetFaultCounts: Sendable {
  private var counts = [Int](repeating: 0, count: FleetFault.allCases.count)

  package init() {}

  mutating func count(_ fault: FleetFault) { counts[fault.rawValue] += 1 }

  package mutating func add(_ other: FleetFaultCounts) {
    for index in counts.indices { counts[index] += other.counts[index] }
  }

  package var rows: [(Int, String)] { FleetFault.allCases.map { (counts[$0.rawValue], $0.name) } }
}
