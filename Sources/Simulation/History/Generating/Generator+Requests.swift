import GatewayCore
import HotData
import TaskStore

extension Generator {
  mutating func request(from client: Int, isNotification: Bool) -> Request {
    var request = Request(number: nextNumber)
    nextNumber += 1
    request.isNotification = isNotification
    request.form = random.pick(knobs.forms)
    request.key = random.pick(knobs.keys)
    let isPointedAt = Spelling.asks[Int(request.form)].isPointedAt
    if request.key >= 0 || isPointedAt && random.oneIn(2) { chooseTask(&request) }
    request.isWrapped = random.oneIn(knobs.oneInWrapped)
    request.group = random.pick(knobs.groups)
    request.trace = random.pick(knobs.traces)
    request.timeoutMilliseconds = random.pick(knobs.timeouts)
    request.drainMilliseconds = random.pick(knobs.drains)
    request.idForm = random.pick(knobs.idForms)
    if !isNotification { chooseTwin(&request, of: client) }
    chooseAsk(&request)
    if knobs.streams, !isNotification {
      // A generator of its own, so that nothing else is drawn differently.
      var apart = SplitMix64(seed: UInt64(request.number) &+ 1 << 32)
      request.streams = !apart.oneIn(4)
      if request.streams { request.pieceIdleMilliseconds = apart.pick(knobs.pieceIdles) }
    }
    if !isNotification { remember(request, of: client) }
    return request
  }

  private mutating func chooseTask(_ request: inout Request) {
    request.hasEscapedKey = random.oneIn(4)
    request.scope = scope()
    request.policy = random.pick(knobs.policies)
    let join = random.pick(knobs.joins)
    if let join, request.saidPolicy.allows(join) { request.join = join }
    request.debounceMilliseconds = random.pick(knobs.debounces)
    let maxWait = random.pick(knobs.maxWaits)
    if let debounce = request.debounceMilliseconds, let maxWait, maxWait > debounce {
      request.maxWaitMilliseconds = maxWait
    }
    if request.saidPolicy == .cancel { request.maxStaleMilliseconds = random.pick(knobs.maxStales) }
    // A generator of its own, so that nothing else is drawn differently.
    var apart = SplitMix64(seed: UInt64(request.number))
    request.superseded = apart.pick(knobs.supersededRules)
    if !knobs.delays.isEmpty { chooseOrder(&request) }
  }

  /// Later requests have higher numbers; some come later than they were sent.
  private mutating func chooseOrder(_ request: inout Request) {
    guard let delay = random.pick(knobs.delays) else { return }
    request.order = UInt64(max(0, request.number - delay))
  }

  /// Some requests use an id that is taken, but only where the oracle need not tell the two apart.
  private mutating func chooseTwin(_ request: inout Request, of client: Int) {
    guard request.mayHaveTwin else {
      if Int(request.idForm) == Spelling.nullID { request.idForm = 0 }
      return
    }
    guard random.oneIn(knobs.oneInTwin) else { return }
    let other = recent.last { $0.client == client && $0.request.mayHaveTwin }
    guard let other else { return }
    request.idNumber = other.request.idNumber
    request.idForm = other.request.idForm
  }

  /// Notifications ask for themselves: nobody could tell two of them apart.
  private mutating func chooseAsk(_ request: inout Request) {
    guard !request.isNotification, request.likelyKey >= 0, random.oneIn(knobs.oneInSame) else { return }
    guard let same = newest[Int(request.likelyKey)], request.key >= 0 || same.key < 0 else { return }
    request.ask = same.ask
    request.form = same.form
  }
}

extension Request {
  /// Its own key, or the one that a route may find; -1: none.
  var likelyKey: Int8 { key >= 0 ? key : Spelling.asks[Int(form)].firstKey ?? -1 }

  /// It is in no lane, or in the one of which little is known.
  fileprivate var mayHaveTwin: Bool {
    key == Spelling.twinKey || key < 0 && !Spelling.asks[Int(form)].isPointedAt
  }
}
