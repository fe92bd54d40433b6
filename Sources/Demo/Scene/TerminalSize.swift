import Glibc

/// How large the terminal is.
package struct TerminalSize: Hashable, Sendable {
  package var columns = 80
  package var lines = 24

  /// Of the terminal behind the descriptor; the usual size if it does not say.
  package init(of descriptor: Int32) {
    var size = winsize()
    guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
      return
    }
    columns = Int(size.ws_col)
    lines = Int(size.ws_row)
  }
}
