import Testing

/// Says why a row is for lines alone; `Tests/Pages/transports.py` makes a table of it.
struct ForLines: TestTrait, SuiteTrait {
  let reason: Reason
}

extension Trait where Self == ForLines {
  static func forLines(_ reason: Reason) -> ForLines { ForLines(reason: reason) }
}
