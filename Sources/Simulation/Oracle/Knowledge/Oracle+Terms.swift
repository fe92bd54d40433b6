import GatewayCore

/// What the routes of a configuration make of requests.
extension Oracle {
  /// By what the request is decided, whatever the configuration becomes later.
  mutating func decide(_ request: Request) {
    let client = records[request.number].client
    var terms = Terms(
      request, routing[request.form], configuration, clients[client].person,
      usualScope: clients[client].options.scope)
    if request.streams, clients[client].kind == .exchange { terms.refusePieces() }
    terms.upstream = numbering.upstream(at: terms.place, for: client)
    let label = Message.Label(key: terms.refusal == nil ? terms.key : -1, scope: terms.scope)
    records[request.number].terms = terms
    records[request.number].lane = lane(label, of: client)
  }

  /// What its route did for a request.
  mutating func note(_ terms: Terms, of request: Request) {
    if let refusal = terms.refusal { return coverage.count(refusal) }
    upstreams[terms.upstream].mayExist = true
    guard let route = routing[request.form].route else { return }
    if terms.place > 0 { coverage.count(.routedElsewhere) }
    if request.key < 0, terms.key >= 0 { coverage.count(.routedKey) }
    if terms.priority != Route.usualPriority { coverage.count(.routedPriority) }
    if route.cancel != nil { coverage.count(.routedCancel) }
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
