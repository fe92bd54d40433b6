import LibUV

/// Decides which unfinished handshake gives way where there are too many, and which has taken too long.
struct Handshakes<Peer> {
  /// How many of the oldest peers are checked for being gone.
  static var lookLimit: Int { 16 }

  private struct Handshake {
    let peer: Peer
    let begunMilliseconds: UInt64
    var isAnswered = false
    /// Those beside it in its line; 0: there is none.
    var previous: UInt64 = 0
    var next: UInt64 = 0
  }

  private struct Line {
    var first: UInt64 = 0
    var last: UInt64 = 0
    var count = 0
  }

  private var handshakes: [UInt64: Handshake] = [:]
  /// Peers to whom nothing was sent, in the order in which they came.
  private var greeted = Line()
  /// Peers that have to answer our part of the handshake, in the order in which it was sent.
  private var answered = Line()
  private var newest: UInt64 = 0
  /// Numbers below it are not among them.
  private var oldest: UInt64 = 1

  var count: Int { handshakes.count }
  var numbers: [UInt64] { handshakes.keys.sorted() }

  subscript(number: UInt64) -> Peer? { handshakes[number]?.peer }

  /// - Parameter number: higher than all before.
  mutating func begin(_ number: UInt64, _ peer: Peer, atMilliseconds now: UInt64) {
    precondition(number > newest, "the numbers of handshakes go up")
    newest = number
    handshakes[number] = Handshake(peer: peer, begunMilliseconds: now)
    append(number, to: .greeted)
  }

  /// We have done our part of it, which costs most: now its peer has to do its own.
  mutating func answer(_ number: UInt64) {
    guard let handshake = handshakes[number], !handshake.isAnswered else { return }
    unlink(number, from: .greeted)
    handshakes[number]?.isAnswered = true
    append(number, to: .answered)
  }

  mutating func end(_ number: UInt64) {
    guard let handshake = handshakes[number] else { return }
    unlink(number, from: handshake.isAnswered ? .answered : .greeted)
    handshakes[number] = nil
  }

  // MARK: Time

  /// The handshake that began first, and when.
  mutating func first() -> (peer: Peer, begunMilliseconds: UInt64)? {
    guard !handshakes.isEmpty else { return nil }
    while true {
      if let first = handshakes[oldest] { return (first.peer, first.begunMilliseconds) }
      oldest += 1
    }
  }

  // MARK: Room

  /// The peer that gives way, so that there are no more than `limit`, with those that are about to come; nil: none has
  /// to.
  ///
  /// Handshakes that were answered and those that were not have half of the places each, if both want them: so neither
  /// a crowd of newcomers nor clients that leave us waiting take the others' places. Of the older ones of a half that
  /// has more, one whose peer is gone gives way, else the first that has left us waiting, else the first.
  func givingWay(_ limit: Int, to coming: Int = 0, _ state: (Peer) -> PeerState) -> Peer? {
    guard count + coming > limit else { return nil }
    let line = answered.count > limit / 2 ? answered : greeted
    var idle: Peer?
    var number = line.first
    for _ in 0..<Self.lookLimit {
      guard let handshake = handshakes[number] else { break }
      let peer = state(handshake.peer)
      if peer.isGone { return handshake.peer }
      if !peer.hasInput && idle == nil { idle = handshake.peer }
      number = handshake.next
    }
    return idle ?? handshakes[line.first]?.peer
  }

  /// Whether one more has to wait, for the peer that would give way to it has said something that we have not read yet:
  /// it is us who are slow.
  func isBehind(_ limit: Int, _ state: (Peer) -> PeerState) -> Bool {
    guard let peer = givingWay(limit, to: 1, state) else { return false }
    let itsState = state(peer)
    return itsState.hasInput && !itsState.isGone
  }

  // MARK: Lines

  /// Which line. A key path would be made anew for each handshake.
  private enum Place { case greeted, answered }

  private subscript(place: Place) -> Line {
    get { place == .greeted ? greeted : answered }
    set { if place == .greeted { greeted = newValue } else { answered = newValue } }
  }

  private mutating func append(_ number: UInt64, to place: Place) {
    let last = self[place].last
    handshakes[number]?.previous = last
    handshakes[number]?.next = 0
    if last == 0 { self[place].first = number } else { handshakes[last]?.next = number }
    self[place].last = number
    self[place].count += 1
  }

  private mutating func unlink(_ number: UInt64, from place: Place) {
    guard let handshake = handshakes[number] else { return }
    let (previous, next) = (handshake.previous, handshake.next)
    if previous == 0 { self[place].first = next } else { handshakes[previous]?.next = next }
    if next == 0 { self[place].last = previous } else { handshakes[next]?.previous = previous }
    self[place].count -= 1
  }
}
