import Demo
import Glibc
import LoadTest

/// Shows the progress of a load on standard error, so that standard output holds only the report.
final class LoadProgress {
  private var view: LoadLiveView?

  /// - Parameter seconds: how long each run takes.
  init(seconds: Double, isQuiet: Bool) {
    guard !isQuiet else { return }
    let isTerminal = isatty(STDERR_FILENO) == 1
    let style = TextStyle(isTerminal: isTerminal) { name in
      // The value is copied at once.
      unsafe getenv(name).map { unsafe String(cString: $0) }
    }
    view = LoadLiveView(
      columns: isTerminal ? TerminalSize(of: STDERR_FILENO).columns : nil, hasUnicode: style.hasUnicode,
      totalNanoseconds: UInt64(seconds * 1e9)
    ) { Console.write(Array($0.utf8), to: STDERR_FILENO) }
  }

  /// Called when one of several runs begins.
  func begin(_ title: String) { view?.begin(title) }

  func add(_ interval: LoadInterval) {
    if view?.columns != nil { view?.columns = TerminalSize(of: STDERR_FILENO).columns }
    view?.add(interval)
  }

  func clear() { view?.clear() }
}
