import GatewayCore

/// Carries what is written to the mirror of another loop's client to that loop.
final class MirrorTransport: ClientTransport {
  private let links: LoopLinks
  private let mirror: MirrorName
  private let own: ClientID
  private let client: RemoteClient

  init(_ new: NewMirror, over links: LoopLinks) {
    self.links = links
    mirror = new.name
    own = new.mirror
    client = new.client
  }

  /// What it asks comes another way.
  func start(as client: ClientID, _ delegate: any ClientTransportDelegate) {}

  func write(_ chunks: UnsafeBufferPointer<UnsafeRawBufferPointer>) -> Int {
    unsafe links.write(chunks, to: mirror, of: own)
  }

  var peerAddress: String? { client.address }
  var way: ClientWay { client.way ?? ClientWay(.stream) }
  var inFlightByteCount: Int { 0 }
  func setReading(_ isReading: Bool) {}

  func close() { links.tellClosed(mirror) }
  func drop() { links.tellClosed(mirror) }
}

@available(*, unavailable)
extension MirrorTransport: Sendable {}
