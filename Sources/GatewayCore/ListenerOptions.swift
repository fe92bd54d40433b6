/// What is special about one of the addresses that clients connect to.
package struct ListenerOptions: Sendable {
  package enum Scope: Sendable { case shared, connection }

  /// Who shares the keys of requests that do not say it.
  package var scope = Scope.shared
  /// A client that sends no more wants no answers either.
  package var cancelsAtEnd = false
  /// Superseded callers hear the code of an answer that an edit made useless, which editors do not show.
  package var hidesSupersession = false

  /// Upstreams of a connection's own are opened with it, not with the first request for them.
  package var opensUpstreams = false

  package init() {}
}
