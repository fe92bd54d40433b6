/// Work that must happen outside the call that caused it: at the end of the turn.
protocol TurnEndWork: AnyObject {
  func turnEnded()
}
