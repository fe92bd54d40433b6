import HotData

/// How many more tasks of one account one upstream may work on.
struct Allotment {
  /// Less than 0 while there are more than a new configuration allows.
  @Compact fileprivate(set) var room: Int
  /// The first of the account's shares of the upstream's waiting line; 0: nothing waits.
  @Compact var firstShare = 0

  var hasRoom: Bool { room > 0 }

  /// One more task is in flight; returns whether others wait.
  @inline(__always)
  mutating func take() -> Bool {
    room &-= 1
    return firstShare != 0
  }

  /// One that was in flight is so no more; returns whether others wait.
  @inline(__always)
  mutating func giveBack() -> Bool {
    room &+= 1
    return firstShare != 0
  }
}

/// The allotments of all accounts at all upstreams of the configuration; upstreams of a connection's own, of which it
/// has one at each place at most, included.
struct AllotmentTable: ~Copyable {
  private var allotments = SlotArray(empty: Allotment(room: 0), count: 0)
  /// The allotment of an account with nothing in flight, by the upstream's place.
  private var limits: [Int] = []
  private var placeCount = 0
  private(set) var accounts = 0

  /// - Parameter place: the upstream's, in the configuration.
  @inline(__always)
  func number(of account: Int, at place: Int) -> Int { account &* placeCount &+ place }

  subscript(number: Int) -> Allotment {
    @inline(__always) _read { yield allotments[number] }
    @inline(__always) _modify { yield &allotments[number] }
  }

  /// Opens the allotments of an account that is used for the first time; a reused account has given everything back.
  mutating func open(_ account: Int) {
    guard account >= accounts else { return }
    accounts = account + 1
    for place in limits.indices {
      let number = number(of: account, at: place)
      allotments.reach(number)
      allotments[number] = Allotment(room: limits[place])
    }
  }

  /// A configuration has new limits for the upstreams at its places, as many as before; what is in flight counts.
  mutating func keep(_ limits: [Int]) {
    let before = self.limits
    self.limits = limits
    placeCount = limits.count
    guard accounts > 0, before != limits else { return }
    for number in allotments.indices {
      let place = number % limits.count
      allotments[number].room += limits[place] - before[place]
    }
  }

  /// What is in flight of an account, at all upstreams.
  func inFlight(of account: Int) -> Int {
    limits.indices.reduce(0) { $0 + limits[$1] - allotments[number(of: account, at: $1)].room }
  }
}
