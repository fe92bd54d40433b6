/// Notes since when an open request is not wanted any more: since the first request was sent that supersedes it.
///
/// Between connections this is the first that was sent after it, as their order at the gateway cannot be seen.
extension LoadOracle {
  /// Notes that this request supersedes all older open ones of its key that were still wanted.
  mutating func supersedeOlder(by superseding: OpenRequest) {
    let ledger = ledger(of: superseding)
    var number = ledgers[ledger].newestWanted
    while number != 0 {
      let older = open.update(number) {
        $0.supersededBy = superseding.number
        $0.supersededNanoseconds = superseding.sentNanoseconds
        return $0.olderWanted
      }
      number = older ?? 0
    }
    ledgers[ledger].newestWanted = 0
  }

  /// Links the request into its key's list as the newest that is wanted; a request without a key is left as it is.
  mutating func linked(_ request: OpenRequest) -> OpenRequest {
    guard request.policy != nil else { return request }
    var request = request
    let (number, ledger) = (request.number, ledger(of: request))
    request.olderWanted = ledgers[ledger].newestWanted
    _ = open.update(request.olderWanted) { $0.newerWanted = number }
    ledgers[ledger].newestWanted = number
    return request
  }

  /// The request is not open any more.
  mutating func unlink(_ request: inout OpenRequest) {
    guard request.policy != nil else { return }
    let ledger = ledger(of: request)
    guard request.supersededBy == 0 else {
      // The newer request may never have been admitted: then it is not known what superseded this one, and when.
      if request.supersededBy <= ledgers[ledger].newestRefused { request.supersededNanoseconds = 0 }
      return
    }
    let (older, newer) = (request.olderWanted, request.newerWanted)
    _ = open.update(older) { $0.newerWanted = newer }
    if newer == 0 {
      ledgers[ledger].newestWanted = older
    } else {
      _ = open.update(newer) { $0.olderWanted = older }
    }
  }

  mutating func mayNotHaveBeenAdmitted(_ request: OpenRequest) {
    guard request.supersedesAtAdmission else { return }
    let ledger = ledger(of: request)
    ledgers[ledger].newestRefused = max(ledgers[ledger].newestRefused, request.number)
  }
}
