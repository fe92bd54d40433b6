import GatewayCore

/// Names upstreams and the connections to them by numbers that never change: what all clients share comes first.
///
/// An upstream that each client has for itself is another upstream for each client.
struct UpstreamNumbering {
  let places: [UpstreamOptions]
  /// Of each place, and behind them of what clients have for themselves.
  private let firstLinks: [Int]

  init(_ places: [UpstreamOptions]) {
    self.places = places
    var links = [0]
    for place in places {
      links.append(links[links.count - 1] + (place.isPerConnection ? 0 : place.endpoints))
    }
    firstLinks = links
  }

  var shared: [Int] { places.indices.filter { !places[$0].isPerConnection } }
  var hasPrivate: Bool { places.contains { $0.isPerConnection } }
  private var sharedLinks: Int { firstLinks[places.count] }

  func upstream(at place: Int, for client: Int) -> Int {
    places[place].isPerConnection ? ofClient(client) + place : place
  }

  /// The upstreams that a client has for itself, whether it has used them or not.
  func upstreams(of client: Int) -> [Int] {
    places.indices.filter { places[$0].isPerConnection }.map { ofClient(client) + $0 }
  }

  private func ofClient(_ client: Int) -> Int { places.count * (client + 1) }

  func place(of upstream: Int) -> Int { upstream % places.count }

  /// The client that has it for itself; nil: it is for all.
  func client(of upstream: Int) -> Int? {
    upstream < places.count ? nil : upstream / places.count - 1
  }

  func links(of upstream: Int) -> Range<Int> {
    if upstream < places.count { return firstLinks[upstream]..<firstLinks[upstream + 1] }
    let link = sharedLinks + upstream - places.count
    return link..<link + 1
  }

  func upstream(of link: Int) -> Int {
    guard link < sharedLinks else { return link - sharedLinks + places.count }
    return firstLinks[..<places.count].lastIndex { $0 <= link } ?? 0
  }

  func link(to endpoint: UpstreamEndpoint, for client: Int?) -> Int {
    let upstream = client.map { self.upstream(at: endpoint.upstream, for: $0) } ?? endpoint.upstream
    return links(of: upstream).lowerBound + (client == nil ? endpoint.endpoint : 0)
  }
}
