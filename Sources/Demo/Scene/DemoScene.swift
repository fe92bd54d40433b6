/// Everything that the demo's audience is told: the two search boxes, side by side.
package struct DemoScene: Hashable, Sendable {
  package enum Side: Hashable, Sendable, CaseIterable { case direct, gateway }

  /// What happens to a query; `sent` begins it.
  package enum Event: Hashable, Sendable {
    case sent(String, isFirst: Bool)
    case answered(SearchAnswer)
    case superseded
    case failed
    case upstreamAnswered
  }

  /// Without a gateway.
  package private(set) var direct = Screen()
  /// Through lastword.
  package private(set) var gateway = Screen()
  /// What stands in both boxes.
  package var typed = ""
  package var nowMilliseconds = 0

  package init() {}

  package func screen(_ side: Side) -> Screen { side == .direct ? direct : gateway }

  /// - Parameter number: of the query; `sent` gives them out in order, from 0.
  package mutating func apply(_ event: Event, to number: Int, on side: Side, atMilliseconds now: Int) {
    nowMilliseconds = max(nowMilliseconds, now)
    switch side {
    case .direct: direct.apply(event, to: number, atMilliseconds: now)
    case .gateway: gateway.apply(event, to: number, atMilliseconds: now)
    }
  }
}

extension Screen {
  fileprivate mutating func apply(_ event: DemoScene.Event, to number: Int, atMilliseconds now: Int) {
    switch event {
    case .sent(let text, let isFirst):
      let given = sent(text, isFirst: isFirst, atMilliseconds: now)
      precondition(given == number, "queries are sent in the order of their numbers")
    case .answered(let answer): answered(number, answer, atMilliseconds: now)
    case .superseded: superseded(number, atMilliseconds: now)
    case .failed: failed(number, atMilliseconds: now)
    case .upstreamAnswered: upstreamAnswered(number, atMilliseconds: now)
    }
  }
}
