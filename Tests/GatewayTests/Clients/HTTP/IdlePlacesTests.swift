import Testing

@testable import Gateway

/// Which idle connection makes room.
@Suite struct IdlePlacesTests {
  @Test func `the one that has idled for longest, wherever it is`() {
    var places = IdlePlaces()
    var since: [UInt64?] = [30, nil, 10, 20, nil]
    var found: [Int?] = []
    for _ in 0..<4 {
      let place = places.longest(among: since.count) { since[$0] }
      found.append(place)
      if let place { since[place] = nil }
    }
    #expect(found == [2, 3, 0, nil])
    #expect(places.longest(among: 0) { _ in 0 } == nil)
  }

  @Test func `so many are looked at, and the next time those behind`() {
    var places = IdlePlaces()
    let count = 3 * IdlePlaces.lookCount
    var looked: [Int] = []
    for round in 0..<3 {
      let place = places.longest(among: count) {
        looked.append($0)
        return $0 == count - 1 ? 7 : nil
      }
      #expect(place == (round == 2 ? count - 1 : nil))
    }
    #expect(looked == Array(0..<count))
    // Places may have become fewer since.
    #expect(places.longest(among: 2) { UInt64($0) } == 0)
  }
}
