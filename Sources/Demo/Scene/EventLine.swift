/// How an event is told where there is no terminal: one line each.
package enum EventLine {
  package static func text(
    _ event: DemoScene.Event, of number: Int, on side: DemoScene.Side, in scene: DemoScene
  ) -> String? {
    let screen = scene.screen(side)
    let query = screen.queries[number]
    guard let outcome = outcome(event, query, screen) else { return nil }
    let time = "\(scene.nowMilliseconds) ms".leftPadded(to: 9)
    let name = side == .direct ? "without a gateway" : "through lastword "
    return "\(time)  \(name)  \(query.text.printable.padded(to: 18))  \(outcome)"
  }

  private static func outcome(_ event: DemoScene.Event, _ query: TypedQuery, _ screen: Screen) -> String? {
    let took = query.endedMilliseconds.map { $0 - query.sentMilliseconds } ?? 0
    switch event {
    case .sent:
      return "sent"
    case .answered(let answer):
      let found = "after \(took) ms: \(answer.files) files"
      return query.state == .stale ? "STALE \(found), over a newer answer" : "delivered \(found)"
    case .superseded:
      return "superseded after \(took) ms"
    case .failed:
      return "failed after \(took) ms"
    case .upstreamAnswered:
      return query.state == .droppedLate ? "dropped: upstream answered late" : nil
    }
  }
}
