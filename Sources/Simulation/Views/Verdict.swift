/// The first thing that was wrong with a history, if anything was.
final class Verdict {
  private(set) var complaint: String?

  func complain(_ text: String) {
    if complaint == nil { complaint = text }
  }
}
