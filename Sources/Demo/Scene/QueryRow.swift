/// One query as a row of the timeline: what was typed, a bar from then on, what became of it.
struct QueryRow {
  static let labelColumns = 9
  static let stateColumns = 12

  let query: TypedQuery
  /// When the bar's first column begins, and how much time all its columns are.
  let startMilliseconds: Int
  let spanMilliseconds: Int
  let nowMilliseconds: Int

  func text(columns: Int, style: TextStyle) -> String {
    let label = style.fittedTail(query.text, to: Self.labelColumns)
    let barColumns = max(0, columns - Self.labelColumns - Self.stateColumns - 2)
    let state = style.fitted(query.state.name, to: Self.stateColumns)
    let colour = query.state.colour
    return label + " " + style.paint(bar(barColumns, style), colour) + " " + style.paint(state, colour)
  }

  private func bar(_ columns: Int, _ style: TextStyle) -> String {
    let sent = column(query.sentMilliseconds, of: columns)
    let ended = column(query.endedMilliseconds ?? nowMilliseconds, of: columns)
    let drained =
      query.state == .droppedLate ? column(query.upstreamAnsweredMilliseconds ?? 0, of: columns) : 0
    return String(
      (0..<columns).map { column in
        if column < sent { return " " }
        if column <= ended { return style.running }
        return column <= drained ? style.draining : " "
      })
  }

  /// What lies outside is drawn at the edge.
  private func column(_ milliseconds: Int, of columns: Int) -> Int {
    min(max(0, milliseconds - startMilliseconds) * columns / max(1, spanMilliseconds), columns - 1)
  }
}

extension TypedQuery.State {
  var name: String {
    switch self {
    case .running: "running"
    case .delivered: "delivered"
    case .stale: "STALE"
    case .superseded: "superseded"
    case .droppedLate: "dropped late"
    case .failed: "failed"
    }
  }

  var colour: TextStyle.Colour? {
    switch self {
    case .running: nil
    case .delivered: .green
    case .stale, .failed: .red
    case .superseded: .grey
    case .droppedLate: .yellow
    }
  }
}
