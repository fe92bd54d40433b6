import Foundation
import GatewayCore
import LibUV
import Testing

@testable import Admin
@testable import Gateway

/// What those hear who have the live page open.
@Suite struct EventFeedTests {
  @Test func `whoever watches hears a greeting, then numbers, then what happens`() throws {
    let scene = try WatchedScene()
    let watcher = scene.watch()
    let hello = try #require(watcher.events("hello").first)
    let greeting = try #require(try JSONSerialization.jsonObject(with: Data(hello.utf8)) as? [String: Any])
    #expect(greeting["v"] as? Int == 1 && greeting["version"] as? String == "1.2.3")
    #expect(greeting["frameMs"] as? UInt64 == EventFrame.frameMilliseconds)
    #expect(greeting["eventsPerFrame"] as? Int == EventFrame.limitEvents)
    scene.admin.run { !watcher.events("stats").isEmpty }
    #expect(watcher.told.isEmpty)
    scene.request()
    scene.admin.run { watcher.told.count == 3 }
    #expect(watcher.told == ["a 1 k concurrent m", "s 1", "d 1 1"])
    #expect(scene.view.feed.watch.sent == 3 && scene.view.feed.watch.merged == 0)
    scene.end()
  }

  @Test func `while nobody watches nothing is noted, and no timer runs`() throws {
    let scene = try WatchedScene()
    scene.request()
    #expect(!scene.isWatched)
    #expect(scene.view.feed.nextDueMilliseconds == nil)
    let watcher = scene.watch()
    #expect(scene.isWatched)
    #expect(scene.view.feed.nextDueMilliseconds != nil)
    scene.request()
    scene.admin.run { !watcher.told.isEmpty }
    // What was before is nobody's business any more.
    #expect(watcher.told.first == "a 2 k concurrent m")
    scene.end()
  }

  @Test func `when the last one leaves it is as if nobody had watched`() throws {
    let scene = try WatchedScene()
    let watchers = (0..<2).map { _ in scene.watch() }
    let feed = scene.view.feed
    watchers[0].close()
    scene.admin.run { feed.watch.watchers == 1 }
    #expect(scene.isWatched && feed.nextDueMilliseconds != nil)
    watchers[1].close()
    scene.admin.run { feed.watch.watchers == 0 }
    #expect(!scene.isWatched && feed.nextDueMilliseconds == nil)
    scene.request()
    #expect(feed.watch.sent == 0)
    let next = scene.watch()
    scene.request()
    scene.admin.run { next.told.count == 3 }
    #expect(next.told.first == "a 2 k concurrent m")
    scene.end()
  }

  @Test func `all who watch hear the same`() throws {
    let scene = try WatchedScene()
    let watchers = (0..<3).map { _ in scene.watch() }
    scene.request(20)
    scene.admin.run { watchers.allSatisfy { $0.told.count == 60 } }
    #expect(watchers.allSatisfy { $0.told == watchers[0].told })
    // Told thrice, counted once.
    #expect(scene.view.feed.watch.sent == 60)
    scene.end()
  }

  @Test func `more than a frame takes is counted, and the next frame has room again`() throws {
    let scene = try WatchedScene()
    let watcher = scene.watch()
    let feed = scene.view.feed
    let count = 2 * EventFrame.limitEvents
    scene.request(count, key: "k")
    // All of it within a frame's time, or not: each event was told or counted.
    scene.admin.run { Int(feed.watch.sent + feed.watch.merged) == 3 * count }
    scene.admin.run { watcher.told.count == Int(feed.watch.sent) }
    let frames = watcher.events("frame").compactMap { FrameReader(Array($0.utf8)) }
    #expect(frames.map(\.mergedCount).reduce(0, +) == Int(feed.watch.merged))
    #expect(frames.allSatisfy { $0.events.count <= EventFrame.limitEvents })
    let before = watcher.told.count
    scene.request()
    scene.admin.run { watcher.told.count == before + 3 }
    scene.end()
  }

  @Test func `who is too slow for a frame hears with the next one how much was missed`() throws {
    let scene = try WatchedScene { $0.streamBytes = 4_096 }
    let (slow, quick) = (scene.watch(), scene.watch())
    let feed = scene.view.feed
    slow.stream?.stopReading()
    quick.stream?.stopReading()
    let filler = [UInt8](repeating: 0x78, count: 1 << 20)
    // More than any socket's buffers hold.
    for _ in 0..<64 where feed.watch.dropped == 0 { feed.send("filler", filler) }
    // And to the last byte what may wait for them.
    let around = "event: filler\ndata: \n\n".utf8.count
    feed.send("filler", [UInt8](repeating: 0x78, count: 4_096 - around))
    #expect(feed.watch.dropped > 0)
    scene.request()
    let dropped = feed.watch.dropped
    // The numbers that are told now and then may be dropped first.
    scene.admin.run { feed.streams.allSatisfy { $0.missedEventCount == 3 } }
    #expect(feed.watch.sent == 0)
    slow.stream?.startReading()
    quick.stream?.startReading()
    scene.admin.run { slow.hasCaughtUp && quick.hasCaughtUp }
    for watcher in [slow, quick] { watcher.forgetReceived() }
    scene.request()
    scene.admin.run { slow.told.count == 3 && quick.told.count == 3 }
    for watcher in [slow, quick] {
      let frames = watcher.events("frame").compactMap { FrameReader(Array($0.utf8)) }
      #expect(frames.map(\.mergedCount).reduce(0, +) == 3)
    }
    slow.close()
    scene.admin.run { feed.watch.watchers == 1 }
    #expect(feed.watch.dropped >= dropped + 2)
    scene.end()
  }

  @Test func `to one who keeps up everything fits, however little may be unsent`() throws {
    let scene = try WatchedScene { $0.streamBytes = 4_096 }
    let watcher = scene.watch()
    scene.request(EventFrame.limitEvents / 3, key: String(repeating: "k", count: 64))
    scene.admin.run { watcher.told.count == 3 * (EventFrame.limitEvents / 3) }
    #expect(scene.view.feed.watch.dropped == 0 && scene.view.feed.watch.merged == 0)
    scene.end()
  }

  @Test func `what happens in the playground is told apart, and counted nowhere`() throws {
    let scene = try WatchedScene()
    let watcher = scene.watch()
    #expect(scene.admin.post("/playground/send?pane=wait&ms=0").hasSuffix("\r\n\r\n{}"))
    scene.admin.run { watcher.events("play").count == 1 }
    #expect(
      FrameReader(Array(watcher.events("play")[0].utf8))?.events == ["a 1 wait wait work", "s 1", "d 1 1"])
    #expect(watcher.told.isEmpty && scene.gateway.counters.admitted == 0)
    scene.end()
  }

  @Test func `only a POST does something in the playground`() throws {
    let scene = try WatchedScene()
    let watcher = scene.watch()
    _ = scene.admin.post("/playground/send?pane=wait&ms=10000")
    for path in ["/playground/reset", "/playground/send?pane=wait"] {
      for method in ["GET", "HEAD"] {
        let answer = scene.admin.answer(
          "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        #expect(answer.hasPrefix("HTTP/1.1 405 ") && answer.contains("\r\nAllow: POST\r\n"))
      }
    }
    #expect(scene.admin.post("/playground/reset").hasPrefix("HTTP/1.1 200 "))
    scene.admin.run { watcher.events("play").count == 2 }
    #expect(
      FrameReader(Array(watcher.events("play")[1].utf8))?.events == ["x 1 abandoned - -", "c 1"])
    scene.end()
  }
}
