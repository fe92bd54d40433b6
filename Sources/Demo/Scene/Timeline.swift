/// Decides how the scene looks in a terminal: the same scene and size give the same lines.
package struct Timeline: Hashable, Sendable {
  /// Lines besides the rows of queries.
  private static let frameLines = 8
  /// The shortest span of a row's bar, so that it does not shrink with every letter.
  private static let shortestSpanMilliseconds = 1500
  private static let rowLimit = 24

  package var columns: Int
  package var lines: Int
  package var style: TextStyle

  package init(columns: Int, lines: Int, style: TextStyle) {
    self.columns = max(60, columns)
    self.lines = max(Self.frameLines + 4, lines)
    self.style = style
  }

  private var paneColumns: Int { (columns - style.separator.count) / 2 }
  private var rows: Int { min(Self.rowLimit, lines - Self.frameLines - 1) }

  /// As many lines for every scene, none wider than the terminal.
  package func frame(_ scene: DemoScene) -> [String] {
    let left = pane(scene, scene.direct, "without a gateway")
    let right = pane(scene, scene.gateway, "through lastword")
    return zip(left, right).map { $0 + style.separator + $1 }
  }

  private func pane(_ scene: DemoScene, _ screen: Screen, _ title: String) -> [String] {
    let rule = String(repeating: style.rule, count: paneColumns)
    var lines = [fit(title), rule]
    lines += timeline(of: screen, scene.nowMilliseconds)
    lines += [rule, fit("search:  \(scene.typed)_")]
    lines += display(screen)
    lines.append(fit("stale: \(screen.staleAnswers)   superseded: \(screen.superseded)"))
    return lines
  }

  private func timeline(of screen: Screen, _ now: Int) -> [String] {
    let bursts = Burst.all(in: screen.queries, nowMilliseconds: now)
    let rows = bursts.flatMap { burst in
      burst.numbers.map { number in
        QueryRow(
          query: screen.queries[number], startMilliseconds: burst.startMilliseconds,
          spanMilliseconds: max(Self.shortestSpanMilliseconds, burst.spanMilliseconds), nowMilliseconds: now)
      }
    }
    let texts = rows.suffix(self.rows).map { $0.text(columns: paneColumns, style: style) }
    return texts + Array(repeating: fit(""), count: self.rows - texts.count)
  }

  /// The box's lines under the typed text.
  private func display(_ screen: Screen) -> [String] {
    guard let shown = screen.shown else { return [fit("shown:   nothing yet"), fit(""), fit("")] }
    let text = screen.queries[shown.number].text
    let found = "shown:   \(text): \(shown.answer.files) files, \(shown.answer.matches) times"
    let isNewest = shown.number == screen.queries.count - 1
    let note =
      shown.isStale ? "         STALE: over a newer answer" : isNewest ? "" : "         searching ..."
    return [
      style.paint(fit(found), shown.isStale ? .red : nil),
      fit("         \(shown.answer.best ?? "nothing found")"),
      style.paint(fit(note), shown.isStale ? .red : .grey),
    ]
  }

  private func fit(_ text: String) -> String { style.fitted(text, to: paneColumns) }
}
