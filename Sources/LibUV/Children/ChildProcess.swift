import CLibUV
import Glibc

/// One child process, and the process group that it leads and that does not outlive it.
///
/// This object lives until the child has exited, whether or not anybody else holds it. Its streams live on: their user
/// closes them.
package final class ChildProcess {
  /// Writes to the child's standard input.
  package let input: ByteStream
  /// Reads the child's standard output.
  package let output: ByteStream
  /// Reads the child's standard error; nil: it shares that of this process.
  package let errors: ByteStream?

  /// Valid until the child has exited: a running child keeps its loop from ending.
  private unowned(unsafe) let loop: EventLoop
  private var handle: Handle<uv_process_t>
  private var onExit: ((ChildExit) -> Void)?
  private var grace: LoopTimer?
  /// The process group, while its number cannot belong to another one.
  private var group: pid_t?

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - arguments: the first is the program, which is looked up on the child's PATH unless it has a slash.
  ///   - directory: its working directory; nil: that of this process.
  ///   - environment: "NAME=VALUE" each, added to the inherited variables, or in the place of those with the same name.
  ///   - sharesErrors: whether it shares this process's standard error.
  ///   - onExit: called once, when the child has exited and its group has been killed; not from within a call.
  /// - Throws: why the program could not be started.
  package init(
    _ arguments: [String], directory: String? = nil, environment: [String] = [],
    inherits inherited: InheritedVariables = .all, sharesErrors: Bool = false, on loop: EventLoop,
    onExit: @escaping (ChildExit) -> Void
  ) throws(UVError) {
    self.loop = loop
    self.onExit = onExit
    let start = try ChildStart(arguments, directory: directory, environment: environment, inherited)
    var pipes = try ChildPipes(on: loop, sharesErrors: sharesErrors)
    defer { pipes.closeTheirs() }
    // If this signal were blocked, the loop would not hear of the child's exit.
    SignalMask.unblock(SIGCHLD)
    (input, output, errors) = (pipes.input, pipes.output, pipes.errors)
    var status: Int32 = 0
    handle = try Handle {
      status = start.spawn($0, on: loop, pipes.containers) { process, status, signal in
        owner(of: process, as: ChildProcess.self).exited(Int32(truncatingIfNeeded: status), signal)
      }
      return 0
    }
    handle.attach(self)
    guard status == 0 else {
      handle.close()
      pipes.closeOurs()
      throw UVError(code: status)
    }
    group = handle.raw.pointee.pid
  }

  /// Sends SIGTERM to the group, and SIGKILL to what is left of it after this time.
  package func terminate(graceMilliseconds: UInt64) {
    guard group != nil, grace == nil else { return }
    signalGroup(SIGTERM)
    // A stopped process gets no SIGTERM until it is continued.
    signalGroup(SIGCONT)
    let grace = LoopTimer(on: loop) { [unowned self] in kill() }
    grace.start(afterMilliseconds: graceMilliseconds)
    self.grace = grace
  }

  /// Sends SIGKILL to the group.
  package func kill() { signalGroup(SIGKILL) }

  private func signalGroup(_ signal: Int32) {
    if let group { Glibc.kill(-group, signal) }
  }

  private func exited(_ status: Int32, _ signal: Int32) {
    // While others are in the group, its number is no one else's, and without any it has only just become free.
    kill()
    group = nil
    grace?.close()
    grace = nil
    handle.close()
    let onExit = onExit
    self.onExit = nil
    onExit?(signal == 0 ? .exited(status: status) : .killed(signal: signal))
  }
}

@available(*, unavailable)
extension ChildProcess: Sendable {}
