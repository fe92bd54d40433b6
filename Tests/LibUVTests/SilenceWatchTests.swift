import Addresses
import Glibc
import Testing

@testable import LibUV

/// Peers that acknowledge nothing of what is sent to them.
@Suite struct SilenceWatchTests {
  /// A filter of the kernel's, of one instruction: whatever comes is dropped.
  private struct Filter {
    var count: UInt16 = 1
    var instructions: UnsafeMutablePointer<UInt64>
  }

  /// From now on the socket takes nothing and acknowledges nothing, as if its machine had no power any more.
  private func mute(_ descriptor: Int32) -> Bool {
    let (attachFilter, dropAll) = (Int32(26), UInt64(0x06).littleEndian)
    var instruction = dropAll
    return withUnsafeMutablePointer(to: &instruction) {
      var filter = Filter(instructions: $0)
      return setsockopt(
        descriptor, SOL_SOCKET, attachFilter, &filter, socklen_t(MemoryLayout<Filter>.size)) == 0
    }
  }

  /// Writes to a peer, and returns whether it was missed.
  private func isMissed(mute isMute: Bool) throws -> Bool? {
    let scene = try Scene()
    let listener = try RawListener(backlog: 1)
    scene.atEnd { listener.close() }
    var missed: Bool? = false
    scene.connect(to: listener.address) { [unowned scene] stream in
      scene.hear(stream)
      let peer = listener.accept()
      scene.atEnd { close(peer) }
      guard !isMute || mute(peer) else {
        missed = nil
        return scene.end()
      }
      let watch = SilenceWatch(
        of: stream, limitMilliseconds: 1, tickMilliseconds: 5, on: scene.loop
      ) {
        missed = true
        scene.end()
      }
      scene.atEnd { watch.close() }
      stream.write("hi")
      // One that is there acknowledges at once.
      if !isMute { scene.after(milliseconds: 50) { scene.end() } }
    }
    scene.run()
    return missed
  }

  @Test func `a peer that acknowledges nothing is missed`() throws {
    // Not every kernel takes filters.
    guard let found = try isMissed(mute: true) else { return }
    #expect(found)
  }

  @Test func `one that acknowledges what it does not read is not`() throws {
    #expect(try isMissed(mute: false) == false)
  }

  @Test func `a peer may be silent for as long as it is asked`() {
    #expect(KeepAlive(milliseconds: 60_000)?.silenceMilliseconds == 120_000)
    #expect(KeepAlive(milliseconds: 1)?.silenceMilliseconds == 61_000)
    #expect(KeepAlive(milliseconds: Int.max)?.silenceMilliseconds == 32_827_000)
  }

  @Test func `who is never asked is not watched, nor is a Unix socket`() throws {
    let scene = try Scene()
    let directory = try TemporaryDirectory()
    let listener = try scene.listen(at: directory.socket()) { [unowned scene] in scene.hear($0) }
    var hasUnix: Bool?
    scene.connect(to: listener.address) { [unowned scene] stream in
      scene.hear(stream)
      let ofUnix = SilenceWatch(of: stream, KeepAlive(milliseconds: 60_000), on: scene.loop) {}
      hasUnix = ofUnix != nil
      scene.end()
    }
    scene.run()
    #expect(hasUnix == false)
    let other = try Scene()
    let overTCP = try other.listen { [unowned other] in other.hear($0) }
    var hasUnasked: Bool?
    other.connect(to: overTCP.address) { [unowned other] stream in
      other.hear(stream)
      let unasked = SilenceWatch(of: stream, KeepAlive(milliseconds: 0), on: other.loop) {}
      hasUnasked = unasked != nil
      other.end()
    }
    other.run()
    #expect(hasUnasked == false)
  }
}
