import GatewayCore
import TaskStore
import Testing

@testable import Admin

/// What one sees of each policy in the playground.
@Suite struct PlaygroundTests {
  /// A playground whose frames were kept.
  private final class Scene {
    var playground = Playground(nowMilliseconds: 0)
    private var seen: [String] = []
    /// From where requests came.
    private(set) var origins: [String] = []

    func send(
      _ policy: DuplicatePolicy, _ work: UInt64, from caller: PlaygroundCaller = .ann, at time: UInt64
    ) -> Bool {
      send(to: policy.name, work, from: caller, at: time)
    }

    func send(
      to name: String, _ work: UInt64, from caller: PlaygroundCaller = .ann, at time: UInt64
    ) -> Bool {
      guard let pane = PlaygroundPane.all.first(where: { $0.name == name }) else { return false }
      let isTaken = playground.send(pane, from: caller, workMilliseconds: work, at: time)
      look()
      return isTaken
    }

    func reset(at time: UInt64) {
      playground.reset(at: time)
      look()
    }

    /// Lets time pass as the loop does, from one thing that is due to the next.
    func pass(to end: UInt64) {
      var steps = 0
      while let due = playground.nextDueMilliseconds, due <= end, steps < 10_000 {
        playground.timeAdvanced(to: due)
        look()
        steps += 1
      }
      playground.timeAdvanced(to: end)
      look()
    }

    /// What was seen since the last time.
    func news() -> [String] {
      defer { seen = [] }
      return seen
    }

    private func look() {
      guard let frame = FrameReader(playground.takeFrame()) else { return }
      seen += frame.events
      origins += frame.origins
    }

    /// Nothing is left but the client, who may go on.
    var isAtRest: Bool {
      playground.nextDueMilliseconds == nil && playground.core.leftovers.allSatisfy { $0 == "1 clients" }
    }
  }

  @Test func `cancel: the newer one starts at once, the older is a ghost until upstream gives it up`() {
    let scene = Scene()
    #expect(scene.send(.cancel, 1_000, at: 100))
    #expect(scene.news() == ["a 1 cancel cancel work", "s 1"])
    #expect(scene.send(.cancel, 1_000, at: 200))
    #expect(
      scene.news() == ["a 2 cancel cancel work", "x 1 superseded 2 cancelSent", "c 1", "s 2"])
    scene.pass(to: 200 + SlowUpstream.givingUpMilliseconds - 1)
    #expect(scene.news() == [])
    scene.pass(to: 200 + SlowUpstream.givingUpMilliseconds)
    #expect(scene.news() == ["z 1 2"])
    scene.pass(to: 1_199)
    #expect(scene.news() == [])
    scene.pass(to: 1_200)
    #expect(scene.news() == ["d 2 1"])
    #expect(scene.isAtRest)
  }

  @Test func `cancelAndWait: the newer one waits for the ghost`() {
    let scene = Scene()
    _ = scene.send(.cancelAndWait, 1_000, at: 0)
    _ = scene.send(.cancelAndWait, 100, at: 100)
    #expect(
      scene.news() == [
        "a 1 cancelAndWait cancelAndWait work", "s 1", "a 2 cancelAndWait cancelAndWait work",
        "x 1 superseded 2 cancelSent", "c 1",
      ])
    scene.pass(to: 500)
    #expect(scene.news() == ["z 1 2", "s 2"])
    scene.pass(to: 600)
    #expect(scene.news() == ["d 2 1"])
    #expect(scene.isAtRest)
  }

  @Test func `wait: both are delivered, one after the other`() {
    let scene = Scene()
    _ = scene.send(.wait, 1_000, at: 0)
    _ = scene.send(.wait, 10, at: 1)
    #expect(scene.news() == ["a 1 wait wait work", "s 1", "a 2 wait wait work"])
    scene.pass(to: 1_000)
    #expect(scene.news() == ["d 1 1", "s 2"])
    scene.pass(to: 1_010)
    #expect(scene.news() == ["d 2 1"])
    #expect(scene.isAtRest)
  }

  @Test func `concurrent: the quicker one is delivered first`() {
    let scene = Scene()
    _ = scene.send(.concurrent, 1_000, at: 0)
    _ = scene.send(.concurrent, 10, at: 1)
    _ = scene.news()
    scene.pass(to: 2_000)
    #expect(scene.news() == ["d 2 1", "d 1 1"])
    #expect(scene.isAtRest)
  }

  @Test func `keepLatest: the queued one is replaced, the running one is not`() {
    let scene = Scene()
    for time: UInt64 in 0..<3 { _ = scene.send(.keepLatest, 1_000, at: time) }
    #expect(
      scene.news() == [
        "a 1 keepLatest keepLatest work", "s 1", "a 2 keepLatest keepLatest work",
        "a 3 keepLatest keepLatest work", "x 2 superseded 3 notSent",
      ])
    scene.pass(to: 2_000)
    #expect(scene.news() == ["d 1 1", "s 3", "d 3 1"])
    #expect(scene.isAtRest)
  }

  @Test func `preferPrevious: the same joins, another is refused`() {
    let scene = Scene()
    _ = scene.send(.preferPrevious, 1_000, at: 0)
    _ = scene.news()
    _ = scene.send(.preferPrevious, 1_000, at: 1)
    #expect(scene.news() == ["j 1"])
    #expect(scene.send(.preferPrevious, 999, at: 2))
    #expect(scene.news() == ["r preferPrevious preferPrevious busy"])
    scene.pass(to: 1_000)
    #expect(scene.news() == ["d 1 1"])
    #expect(scene.isAtRest)
  }

  @Test func `onAnswer: the first result supersedes what is older, and nothing that is newer`() {
    let scene = Scene()
    _ = scene.send(.onAnswer, 5_000, at: 0)
    _ = scene.send(.onAnswer, 100, at: 1)
    _ = scene.send(.onAnswer, 5_000, at: 2)
    _ = scene.news()
    scene.pass(to: 101)
    #expect(scene.news() == ["d 2 1", "x 1 superseded 2 cancelSent", "c 1"])
    scene.pass(to: 5_002)
    #expect(scene.news() == ["z 1 2", "d 3 1"])
    #expect(scene.isAtRest)
  }

  @Test func `maxRunning: two run at once, and the third starts when one of them ends`() {
    let scene = Scene()
    for work: UInt64 in [1_000, 400, 300] { #expect(scene.send(to: "maxRunning", work, at: 0)) }
    #expect(
      scene.news() == [
        "a 1 maxRunning wait work/maxRunning", "s 1", "a 2 maxRunning wait work/maxRunning", "s 2",
        "a 3 maxRunning wait work/maxRunning",
      ])
    scene.pass(to: 400)
    #expect(scene.news() == ["d 2 1", "s 3"])
    scene.pass(to: 1_000)
    #expect(scene.news() == ["d 3 1", "d 1 1"])
    #expect(scene.isAtRest)
  }

  @Test func `follow: whoever is superseded waits for the newer one, and its answer is for both`() {
    let scene = Scene()
    #expect(scene.send(to: "follow", 1_000, from: .ann, at: 0))
    #expect(scene.send(to: "follow", 500, from: .ben, at: 100))
    let news = scene.news()
    #expect(news.contains("f 1 2") && !news.contains { $0.hasPrefix("x ") }, "\(news)")
    scene.pass(to: 600)
    #expect(scene.news() == ["z 1 2", "d 2 1"])
    scene.pass(to: 5_000)
    #expect(scene.isAtRest)
  }

  @Test func `panes do not disturb each other`() {
    let scene = Scene()
    for pane in PlaygroundPane.all { #expect(scene.send(to: pane.name, 1_000, at: 0)) }
    _ = scene.news()
    scene.pass(to: 1_000)
    #expect(scene.news() == (1...PlaygroundPane.all.count).map { "d \($0) 1" })
    #expect(scene.isAtRest)
  }

  @Test func `there is room for so many, and again when one of them has ended`() {
    let scene = Scene()
    for _ in 0..<Playground.limitTasks { #expect(scene.send(.concurrent, 1_000, at: 0)) }
    #expect(!scene.send(.concurrent, 1_000, at: 999))
    #expect(!scene.send(.wait, 1_000, at: 999))
    _ = scene.news()
    #expect(scene.send(.concurrent, 1_000, at: 1_000))
    scene.pass(to: 2_000)
    #expect(scene.isAtRest)
  }

  @Test func `ghosts are bounded as everywhere: who supersedes too fast waits for one to end`() {
    let scene = Scene()
    for time: UInt64 in 0..<7 { _ = scene.send(.cancel, 1_000, at: time) }
    #expect(scene.news().filter { $0.hasPrefix("s ") } == ["s 1", "s 2", "s 3", "s 4"])
    scene.pass(to: 5_000)
    #expect(scene.news().filter { !$0.hasPrefix("z ") } == ["s 7", "d 7 1"])
    #expect(scene.isAtRest)
  }

  @Test func `work is bounded`() {
    let scene = Scene()
    _ = scene.send(.wait, .max, at: 0)
    _ = scene.news()
    scene.pass(to: Playground.longestWorkMilliseconds)
    #expect(scene.news() == ["d 1 1"])
    #expect(scene.isAtRest)
  }

  @Test func `a reset ends all that runs or waits, and one can go on`() {
    let scene = Scene()
    for _ in 0..<2 { _ = scene.send(.wait, 1_000, at: 0) }
    _ = scene.send(.cancel, 1_000, at: 0)
    _ = scene.news()
    scene.reset(at: 100)
    #expect(
      Set(scene.news()) == ["x 1 abandoned - -", "x 2 abandoned - -", "x 3 abandoned - -", "c 1", "c 3"])
    #expect(scene.send(.wait, 10, at: 100))
    scene.pass(to: 100 + SlowUpstream.givingUpMilliseconds)
    #expect(Set(scene.news()) == ["a 4 wait wait work", "z 1 2", "z 3 2", "s 4"])
    scene.pass(to: 10_000)
    #expect(scene.news() == ["d 4 1"])
    #expect(scene.isAtRest)
    scene.reset(at: 10_000)
    scene.reset(at: 10_000)
    #expect(scene.news() == [] && scene.playground.core.leftovers.isEmpty)
  }

  @Test func `each request tells who sent it and how, and they share the key`() {
    let scene = Scene()
    for work: UInt64 in [1_000, 999] {
      for caller in PlaygroundCaller.allCases {
        #expect(scene.send(.preferPrevious, work, from: caller, at: 0))
      }
    }
    let refused = "r preferPrevious preferPrevious busy"
    #expect(scene.news() == ["a 1 preferPrevious preferPrevious work", "s 1", "j 1", refused, refused])
    #expect(
      scene.origins == ["1 websocket+tls ann", "2 http ben", "1 websocket+tls ann", "3 http ben"],
      "a POST is a connection of its own")
    scene.pass(to: 1_000)
    #expect(scene.news() == ["d 1 1"])
    #expect(scene.isAtRest, "of a POST nothing is left")
    #expect(
      scene.send(.cancel, 1_000, from: .ben, at: 2_000) && scene.send(.cancel, 10, from: .ann, at: 2_001))
    #expect(
      scene.news() == [
        "a 2 cancel cancel work", "s 2", "a 3 cancel cancel work", "x 2 superseded 3 cancelSent", "c 2",
        "s 3",
      ])
    scene.pass(to: 5_000)
    #expect(scene.isAtRest)
  }

  @Test func `a reset takes back what anybody sent`() {
    let scene = Scene()
    for caller in PlaygroundCaller.allCases { _ = scene.send(.concurrent, 1_000, from: caller, at: 0) }
    _ = scene.news()
    scene.reset(at: 1)
    #expect(Set(scene.news()) == ["x 1 abandoned - -", "x 2 abandoned - -", "c 1", "c 2"])
    scene.pass(to: 5_000)
    #expect(scene.playground.core.leftovers.isEmpty)
  }

  @Test func `those who join are bounded, too`() {
    let scene = Scene()
    for _ in 0..<Playground.limitConnections {
      #expect(scene.send(.preferPrevious, 1_000, from: .ben, at: 0))
    }
    #expect(!scene.send(.preferPrevious, 1_000, from: .ben, at: 999))
    #expect(scene.send(.preferPrevious, 1_000, from: .ben, at: 1_000))
    scene.pass(to: 5_000)
    #expect(scene.playground.core.leftovers.isEmpty)
  }

  @Test func `it can be left alone for days`() {
    let scene = Scene()
    _ = scene.send(.cancel, 10, at: 0)
    scene.pass(to: 300_000_000)
    _ = scene.news()
    _ = scene.send(.cancel, 10, at: 300_000_000)
    scene.pass(to: 300_000_010)
    #expect(scene.news() == ["a 2 cancel cancel work", "s 2", "d 2 1"])
  }
}
