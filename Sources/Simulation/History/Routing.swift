import GatewayCore
import JSONRPC

/// The route of each ask under a configuration, and what stands where that route looks for a key.
struct Routing {
  struct Way {
    var route: Route?
    var place = Ask.Place.nothing
  }

  private let ways: [Way]

  init(_ configuration: GatewayConfiguration) {
    ways = Spelling.asks.map { ask in
      let route = Self.route(of: ask, configuration.routes)
      let pointer = route?.key.flatMap { Spelling.pointers.firstIndex(of: $0.text) }
      return Way(route: route, place: pointer.map { ask.places[$0] } ?? .nothing)
    }
  }

  subscript(form: UInt8) -> Way { ways[Int(form)] }

  /// A name wins over a prefix, the longest prefix over others, the first route over later ones.
  private static func route(of ask: Ask, _ routes: [Route]) -> Route? {
    // Only the methods that can be undone have no number behind their stem.
    let isName = ask.stem == "\(Spelling.undoable)"
    if isName, let route = routes.first(where: { !$0.isPrefix && $0.method == ask.stem }) { return route }
    let prefixes = routes.filter { $0.isPrefix && ask.stem.hasPrefix($0.method) }
    let longest = prefixes.map(\.method.utf8.count).max()
    return prefixes.first { $0.method.utf8.count == longest }
  }
}
