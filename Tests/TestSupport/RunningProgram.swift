import Glibc

/// A program that a test started, and ends by its own process id.
package final class RunningProgram {
  package let identifier: Int32
  /// Nil where there is nobody to write to.
  private var input: PipeEnd?
  private let output: Lines
  private let errors: Lines
  /// As `exitStatus` gives it; nil until the kernel was asked for it, which is how long the id stays the program's.
  private var status: Int32?
  /// It was sent a signal that ends it, or stops it.
  private var isTold = false

  /// - Parameter takesInput: it reads what `send` is given; else it reads nothing.
  package init(
    _ path: String, _ arguments: [String], environment: [String: String] = [:], takesInput: Bool = false
  ) throws {
    let input = takesInput ? try PipeEnd.pair() : nil
    let output = try PipeEnd.pair()
    let errors = try PipeEnd.pair()
    identifier = try Self.start(
      path, arguments, environment, input: input?.reading, output: output.writing, errors: errors.writing)
    self.input = input?.writing
    self.output = Lines(from: output.reading)
    self.errors = Lines(from: errors.reading)
  }

  deinit {
    kill()
    while status == nil { takeStatus(options: 0) }
  }

  package func send(_ text: String) throws {
    guard let input else { throw LineSocket.Failure(description: "the program takes no input") }
    try input.write(Array(text.utf8))
  }

  package func endInput() throws { input = nil }

  /// The next line of standard output or standard error; nil at its end.
  package func outputLine() -> String? { line(of: output) }
  package func errorLine() -> String? { line(of: errors) }

  package func signal(_ number: Int32) {
    if [SIGTERM, SIGINT, SIGKILL, SIGSTOP].contains(number) { isTold = true }
    if status == nil { Glibc.kill(identifier, number) }
  }

  /// Whether it has not ended, nor been told to.
  package var isRunning: Bool {
    takeStatus(options: WNOHANG)
    return status == nil && !isTold
  }

  package func kill() { signal(SIGKILL) }

  /// Waits for the end, at most as long as the watchdog says; nil if it had to be killed.
  package func exitStatus() -> Int32? {
    do {
      let ended: Int32 = try eventually("the program ends") {
        takeStatus(options: WNOHANG)
        return status
      }
      return ended
    } catch {
      kill()
      return nil
    }
  }

  /// Asks the kernel how it ended: the number it exited with, minus the signal's, or the least number if unknown.
  private func takeStatus(options: Int32) {
    guard status == nil else { return }
    var word: Int32 = 0
    let answer = waitpid(identifier, &word, options)
    if answer == identifier {
      let signal = word & 0x7f
      status = signal == 0 ? word >> 8 & 0xff : -signal
    } else if answer < 0 && errno == ECHILD {
      // Where this process was told to ignore SIGCHLD, the kernel keeps no status.
      status = .min
    }
  }

  /// A program that says nothing for as long as the watchdog allows is killed.
  private func line(of lines: Lines) -> String? {
    do {
      return try lines.next()
    } catch {
      kill()
      return nil
    }
  }
}
