import GatewayCore
import JSONRPC
import TaskStore

/// Invariant 15: a piece reaches the callers of its task that take pieces, under their own ids, in order, and before
/// the answer; an error in place of the answer says how many came.
extension Oracle {
  /// Whether the request behind this answer takes it in pieces.
  func takesPieces(answer number: Int) -> Bool {
    let ask = asks[answers[number].ask]
    return ask.requestCount == 1 && records[ask.request].request.streams
  }

  /// Whether its task may have had as many as there may be: it ends then, and nobody hears of this one.
  func mayBeOneTooMany(piece number: Int) -> Bool {
    let most = configuration.piecesPerTask
    return most > 0 && takesPieces(answer: number) && tasks[answers[number].task].pieceCount >= most
  }

  /// Whether one came that may have been one too many.
  func mayHaveHadTooMany(_ task: TaskView) -> Bool {
    configuration.piecesPerTask > 0 && task.pieceCount > configuration.piecesPerTask
  }

  /// The pieces that a request must hear yet, by the numbers of the answers that followed.
  func piecesDue(to number: Int) -> [Int] {
    clients[records[number].client].asidesDue.lazy.filter { $0.caller == number }.map(\.answer)
      .filter { takesPieces(answer: $0) }
  }

  /// It was handled.
  mutating func handed(piece number: Int) { noteGiven(piece: number, to: takeSure(of: number)) }

  /// An exchange said something before this answer.
  mutating func gave(besides number: Int, to sure: [Int]) {
    if takesPieces(answer: number) { return noteGiven(piece: number, to: sure) }
    if sure.isEmpty { coverage.count(.droppedAside) }
  }

  /// - Parameter sure: the callers that surely hear it.
  private mutating func noteGiven(piece number: Int, to sure: [Int]) {
    if sure.isEmpty { coverage.count(.droppedPiece) }
    event += 1
    answers[number].pieceHanded = event
    answers[number].pieceHandedMilliseconds = nowMilliseconds
    let task = answers[number].task
    let callers = callers(of: task)
    for caller in callers { noteLate(piece: number, to: caller) }
    guard !answers[number].isForeign, tasks[task].isAtUpstream else { return }
    tasks[task].pieceCount += 1
    if mayHaveHadTooMany(tasks[task]) { noteMayHaveLeft(task) }
    for caller in callers {
      extend(caller, by: records[caller].terms.pieceMilliseconds, isSure: sure.contains(caller))
    }
    disturbLane(of: task)
    guard tasks[task].pieceCount == 1, tasks[task].policy == .onAnswer else { return }
    noteAnswerSupersedes(task)
    extendFollowers(to: task)
  }

  /// Callers of older tasks that follow to one at its first piece are given that, too.
  private mutating func extendFollowers(to task: Int) {
    guard tasks[task].lane >= 0 else { return }
    for older in lanes[tasks[task].lane].tasks where tasks[older].admitted < tasks[task].admitted {
      for caller in callers(of: older) where records[caller].terms.follows {
        extend(caller, by: records[caller].terms.pieceMilliseconds, isSure: false)
      }
    }
  }

  /// Where the time of a request is over, though that is not told yet, neither it nor one behind it may be heard.
  private mutating func noteLate(piece number: Int, to request: Int) {
    guard nowMilliseconds >= records[request].latestDeadlineMilliseconds else { return }
    records[request].firstLatePiece = min(records[request].firstLatePiece, number)
  }

  mutating func heard(_ piece: GivenPiece, by client: Int) {
    coverage.count(.heardPiece)
    guard answers.indices.contains(piece.number), takesPieces(answer: piece.number) else {
      return complain("invariant 15: client \(client) heard a piece that nobody gave, or takes")
    }
    let request = caller(piece, client)
    expect(
      records[request].client == client && isCalled(request, piece.id) && records[request].request.streams,
      "invariant 15: client \(client) heard a piece of request \(request) as that of \(text(piece.id))")
    noteFollowing(request, to: answers[piece.number].task)
    expect(!records[request].isReplied, "invariant 15: a piece of request \(request) came behind its end")
    expect(
      piece.number > records[request].lastPiece && !answers[piece.number].isForeign,
      "invariant 15: a piece of request \(request) came out of turn, or from where that never was")
    expect(
      piece.number < records[request].firstLatePiece || records[request].handled == 0,
      "invariant 15: a piece of request \(request) came when its time was over")
    records[request].lastPiece = piece.number
    records[request].pieceCount += 1
    let most = configuration.piecesPerTask
    expect(most == 0 || records[request].pieceCount <= most, "invariant 15: \(request) heard too many pieces")
    noteDelivery(ofPieceOf: answers[piece.number].task, answers[piece.number])
    heard(besides: piece.number, by: client, as: request)
  }

  /// The request under whose id a client heard a piece: the one that asked for it, or one that follows.
  private func caller(_ piece: GivenPiece, _ client: Int) -> Int {
    let asked = asks[answers[piece.number].ask].request
    if records[asked].client == client, isCalled(asked, piece.id) { return asked }
    return clients[client].requests.first { records[$0].terms.follows && isCalled($0, piece.id) } ?? asked
  }

  /// A client hears what ends its request.
  mutating func expectPieces(before reply: ReplyView, to number: Int) {
    let record = records[number]
    guard record.duty == .request else { return }
    let left = piecesDue(to: number)
    expect(left.isEmpty, "invariant 15: request \(number) ended before its pieces \(left)")
    guard reply.generation > 0 else { return }
    if reply.pieces > 0 { coverage.count(.saidPieces) }
    if reply.code == RPCError.upstreamUnavailable.code, record.task >= 0,
      mayHaveHadTooMany(tasks[record.task])
    {
      coverage.count(.tooManyPieces)
    }
    expect(
      reply.pieces == record.pieceCount,
      "invariant 15: request \(number) heard \(record.pieceCount) pieces, and of \(reply.pieces)")
  }
}
