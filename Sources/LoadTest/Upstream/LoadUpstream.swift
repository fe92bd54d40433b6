package import Addresses
import Client
package import LibUV

/// The bundled upstream: answers as its behaviour says, and puts into each result what the oracle needs to know.
package final class LoadUpstream {
  /// Runs that are remembered; the oldest is forgotten for a new one.
  private static let runLimit = 16
  /// How many requests are worked on at a time; further ones are answered without delay.
  private static let jobLimit = 1_000_000

  private let behaviour: UpstreamBehaviour
  private let pool: ClientPool
  private let loop: EventLoop
  private var listener: Listener?
  private var timer: PreciseTimer?
  private var turnEnd: EventLoop.TurnEnd?
  private let seed: UInt64
  var conversations: [Int: ClientConnection] = [:]
  private var conversationsSoFar = 0
  /// By number, oldest first; and the number of each.
  var runs: [(number: UInt64, ledger: RunLedger)] = []
  /// Connections that are told of each run's cancels.
  var watchers: [(conversation: Int, run: UInt64)] = []
  var jobs = UpstreamJobs()
  var fences = FenceLedger()

  /// Listens at once; port 0 is the kernel's choice.
  package init(
    _ behaviour: UpstreamBehaviour, at address: SocketAddress, seed: UInt64, on loop: EventLoop
  ) throws(UVError) {
    self.behaviour = behaviour
    self.loop = loop
    self.seed = seed
    pool = ClientPool(on: loop)
    do throws(UVError) {
      timer = try PreciseTimer(on: loop) { [unowned self] in self.answerWhatIsDue() }
      listener = try Listener(on: loop, address: address) { [unowned self] in self.accepted($0) }
    } catch {
      close()
      throw error
    }
    turnEnd = loop.addTurnEnd { [unowned self] in self.turnEnded() }
  }

  package var address: SocketAddress? { listener?.address }

  package func close() {
    listener?.close()
    timer?.close()
    for conversation in conversations.values { conversation.close() }
    conversations = [:]
    turnEnd.map(loop.removeTurnEnd)
    turnEnd = nil
    pool.close()
  }

  private func accepted(_ stream: ByteStream) {
    let conversation = pool.adopt(stream)
    conversationsSoFar += 1
    conversation.token = conversationsSoFar
    conversation.delegate = self
    conversations[conversationsSoFar] = conversation
  }

  // MARK: Working

  func started(_ id: UInt64, _ question: UpstreamQuestion, on conversation: ClientConnection) {
    let run = index(ofRun: question.run)
    // The number of a request decides its treatment, whatever way it came.
    var random = LoadRandom(seed: seed, stream: question.number)
    let plan = behaviour.plan(&random)
    let now = PreciseTimer.nowNanoseconds
    runs[run].ledger.work.requests += 1
    let arrival = question.key.map { runs[run].ledger.arrived($0, supersedes: question.supersedes) } ?? 0
    var job = UpstreamJob(
      conversation: conversation.token, id: id, question: question, plan: plan, arrival: arrival,
      startNanoseconds: now, dueNanoseconds: now + UInt64(plan.milliseconds * 1e6))
    runs[run].ledger.runningCount += 1
    if plan.milliseconds == 0 || jobs.count >= Self.jobLimit, isAnswered(&job, now) { return }
    jobs.insert(job)
    armTimer()
  }

  private func answerWhatIsDue() {
    let now = PreciseTimer.nowNanoseconds
    while var job = jobs.removeDue(at: now) { if !isAnswered(&job, now) { jobs.insert(job) } }
    armTimer()
  }

  private func armTimer() {
    if let due = jobs.nextDueNanoseconds { timer?.start(atNanoseconds: due) }
  }

  /// Gives pieces of an answer that are due, or the answer; false: more are due later.
  private func isAnswered(_ job: inout UpstreamJob, _ now: UInt64) -> Bool {
    let shape = job.question.pieces
    while job.givenPieces < shape.count {
      givePiece(of: job, now)
      job.givenPieces += 1
      guard shape.milliseconds > 0, job.givenPieces < shape.count, jobs.count < Self.jobLimit else {
        continue
      }
      job.dueNanoseconds = now + UInt64(shape.milliseconds) * 1_000_000
      return false
    }
    answer(job, now)
    return true
  }

  private func givePiece(of job: UpstreamJob, _ now: UInt64) {
    let run = index(ofRun: job.question.run)
    if job.givenPieces == 0 { noteOvertaking(job, run, now) }
    guard let conversation = conversations[job.conversation] else { return }
    let newest = job.question.key.map(runs[run].ledger.newestSuperseding)
    UpstreamWriter.piece(of: job, newest: newest, into: &conversation.output)
    conversation.sendSoon()
  }

  /// Its answer supersedes what came before, as its first piece does.
  private func noteOvertaking(_ job: UpstreamJob, _ run: Int, _ now: UInt64) {
    guard job.question.overtakes && !job.isCancelled, let key = job.question.key else { return }
    runs[run].ledger.answered(key, arrival: job.arrival, at: now)
  }

  private func answer(_ job: UpstreamJob, _ now: UInt64) {
    let run = index(ofRun: job.question.run)
    end(job, run, now)
    runs[run].ledger.work.computed += 1
    if job.givenPieces == 0 { noteOvertaking(job, run, now) }
    guard let conversation = conversations[job.conversation] else { return }
    let newest = job.question.key.map(runs[run].ledger.newestSuperseding)
    for _ in 0..<(job.plan.answersTwice ? 2 : 1) {
      UpstreamWriter.result(of: job, newest: newest, into: &conversation.output)
    }
    conversation.sendSoon()
  }

  func end(_ job: UpstreamJob, _ run: Int, _ now: UInt64) {
    runs[run].ledger.runningCount -= 1
    runs[run].ledger.work.busyNanoseconds += now - job.startNanoseconds
  }

  func cancelled(_ id: UInt64, on conversation: ClientConnection) {
    guard var job = jobs.remove(id, of: conversation.token) else { return }
    let now = PreciseTimer.nowNanoseconds
    let run = index(ofRun: job.question.run)
    if !job.isCancelled { heardCancel(job, run, now) }
    job.isCancelled = true
    switch job.plan.onCancel {
    case .ignore: jobs.insert(job)
    case .goOn(let milliseconds):
      job.dueNanoseconds += UInt64(milliseconds * 1e6)
      job.plan.onCancel = .ignore
      jobs.insert(job)
    case .stop:
      end(job, run, now)
      UpstreamWriter.cancelled(job, into: &conversation.output)
      conversation.sendSoon()
    }
  }

  private func heardCancel(_ job: UpstreamJob, _ run: Int, _ now: UInt64) {
    runs[run].ledger.work.cancelled += 1
    guard watchers.contains(where: { $0.run == job.question.run }) else { return }
    let overtaken = job.question.key.map { runs[run].ledger.overtaken($0, arrival: job.arrival) }
    runs[run].ledger.untoldCancels.append(
      HeardCancel(number: job.question.number, nanoseconds: now, overtakenNanoseconds: overtaken ?? 0))
  }

  func index(ofRun number: UInt64) -> Int {
    if let index = runs.lastIndex(where: { $0.number == number }) { return index }
    if runs.count == Self.runLimit { runs.removeFirst() }
    runs.append((number, RunLedger()))
    return runs.count - 1
  }

  private func turnEnded() {
    for index in runs.indices where !runs[index].ledger.untoldCancels.isEmpty { tellWatchers(index) }
    pool.flush()
  }
}

@available(*, unavailable)
extension LoadUpstream: Sendable {}
