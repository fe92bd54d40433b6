import GatewayCore

/// What the routes of a configuration make of requests.
extension Oracle {
  /// By what the request is decided, whatever the configuration becomes later.
  mutating func decide(_ request: Request) {
    let terms = Terms(request, routing[request.form], configuration)
    let label = Message.Label(key: terms.refusal == nil ? terms.key : -1, scope: request.scope)
    records[request.number].terms = terms
    records[request.number].lane = lane(label, of: records[request.number].client)
  }

  /// What its route did for a request.
  mutating func note(_ terms: Terms, of request: Request) {
    if let refusal = terms.refusal { return coverage.count(refusal) }
    guard let route = routing[request.form].route else { return }
    if terms.upstream > 0 { coverage.count(.routedElsewhere) }
    if request.key < 0, terms.key >= 0 { coverage.count(.routedKey) }
    guard terms.key >= 0 else { return }
    if let policy = route.policy, policy != request.policy {
      coverage.count(request.policy == nil ? .routedPolicy : .overruledRoute)
    }
    if let join = route.join, join != request.join, terms.join == join { coverage.count(.routedJoin) }
    if route.debounceMilliseconds != nil, request.debounceMilliseconds == nil {
      coverage.count(.routedDebounce)
    }
  }
}
