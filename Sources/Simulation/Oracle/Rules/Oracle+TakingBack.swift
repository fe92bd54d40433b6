/// Callers that take their requests back.
extension Oracle {
  /// By its id: the newest request that has it, but nobody can tell which of them are open.
  mutating func takeBack(_ number: Int, from client: Int) {
    let first = records[number].request.idNumber
    let session = session(of: client)
    guard session.contains(records[first].client) || session.contains(records[number].client) else { return }
    var twin = first
    while twin != 0 {
      if session.contains(records[twin].client) {
        // Of twins nobody knows which has been answered.
        noteMayHaveLeft(records[twin].task)
        noteTakenBack(twin)
      }
      twin = records[twin].nextTwin
    }
  }

  /// Returns how many can have been cancelled at most.
  mutating func takeBack(_ target: Message.Target, _ number: Int, from client: Int) -> Int {
    switch target {
    case .id(let other):
      takeBack(other, from: client)
      return 1
    case .key:
      let lanes = records[number].targets
      let count = lanes.reduce(0) { $0 + ($1 < 0 ? 0 : takeBack(lane: $1)) }
      return lanes.contains(-1) ? .max : count
    case .group(let group, let isOfPrincipal):
      let identity = Spelling.groupIdentities[group]
      let clients = isOfPrincipal ? fellows(of: client) : session(of: client)
      let count = takeBack(
        all: clients.flatMap { self.clients[$0].requests }.filter {
          records[$0].request.group.map { Spelling.groupIdentities[$0] } == identity
        })
      if isOfPrincipal && count > 0 && clients.count > 1 { coverage.count(.cancelledForPrincipal) }
      return clients.contains { self.clients[$0].hadTwins } ? .max : count
    }
  }

  private mutating func takeBack(lane: Int) -> Int {
    for task in lanes[lane].tasks { noteMayHaveLeft(task) }
    return takeBack(all: lanes[lane].requests)
  }

  private mutating func takeBack(all requests: [Int]) -> Int {
    let owed = requests.filter { records[$0].isOwed }
    for number in owed { noteTakenBack(number) }
    return owed.count
  }

  private mutating func noteTakenBack(_ number: Int) {
    guard records[number].isOwed, records[number].duty == .request else { return }
    records[number].mayBeCancelled = true
    noteMayHaveLeft(records[number].task)
    if records[number].isClear && isCancelSure { takenBack.append(number) }
  }
}
