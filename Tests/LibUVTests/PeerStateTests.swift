import LibUV
import Testing

/// What is known of a peer before anything of it is read.
@Suite struct PeerStateTests {
  @Test func `bytes, the end and a reset are seen one after the other`() throws {
    let ending = PeerState(hasInput: true, hasEnded: true)
    let found = try states([
      (.init(), { $0.write("hello") == 5 }), (.init(hasInput: true), { _ in true }),
      (.init(hasInput: true), { $0.shutdown() }), (ending, { $0.reset() }),
      (.init(hasInput: true, hasEnded: true, isGone: true), { _ in true }),
    ])
    #expect(found == 5)
  }

  @Test func `a reset is seen though bytes came before it`() throws {
    let found = try states([
      (.init(), { $0.write("hello") == 5 }), (.init(hasInput: true), { $0.reset() }),
      (.init(hasInput: true, hasEnded: true, isGone: true), { _ in true }),
    ])
    #expect(found == 3)
  }

  @Test func `a stream that is closed has nobody at its other end`() throws {
    let scene = try Scene()
    let listener = try scene.listen { accepted in
      #expect(!accepted.peerState.isGone)
      accepted.close()
      #expect(accepted.peerState.isGone)
      scene.end()
    }
    scene.connect(to: listener.address) { scene.hear($0) }
    scene.run()
  }

  /// Waits for one state after the other, and has the peer do the next thing in each; returns how many came to be.
  private func states(_ steps: [(state: PeerState, next: (ByteStream) -> Any)]) throws -> Int {
    let scene = try Scene()
    var (ours, peer): (ByteStream?, ByteStream?)
    var found = 0
    let listener = try scene.listen {
      ours = $0
      scene.hear($0, reading: false)
    }
    scene.connect(to: listener.address) {
      peer = $0
      scene.hear($0)
    }
    scene.atTurnEnd {
      scene.loop.turnAgain()
      guard let ours, let peer, found < steps.count, ours.peerState == steps[found].state else { return }
      _ = steps[found].next(peer)
      found += 1
      if found == steps.count { scene.end() }
    }
    scene.run()
    return found
  }
}
