import CLibUV
import Glibc

/// One child process, and the process group that it leads and that does not outlive it.
///
/// It lives until the child has exited, whether or not anybody else holds it. Its streams live on: whoever has
/// them closes them.
package final class ChildProcess {
  /// To write to what the child reads.
  package let input: ByteStream
  /// To read what it writes.
  package let output: ByteStream
  /// Nil where it shares this process's standard error.
  package let errors: ByteStream?

  /// Valid until the child has exited: a running child keeps its loop from ending.
  private unowned(unsafe) let loop: EventLoop
  private var handle: Handle<uv_process_t>
  private var onExit: ((ChildExit) -> Void)?
  private var grace: LoopTimer?
  /// The group, as long as its number cannot be another's.
  private var group: pid_t?

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - arguments: the first is the program, which is looked up on the child's PATH unless it has a slash.
  ///   - directory: where it starts; nil: where this process is.
  ///   - environment: "NAME=VALUE" each, added to what it inherits or replacing it there.
  ///   - sharesErrors: it writes to the standard error of this process.
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
    // Blocked, it would keep the child's end from the loop.
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

  /// Asks the group to end; what is left of it after so long is killed.
  package func terminate(graceMilliseconds: UInt64) {
    guard group != nil, grace == nil else { return }
    signalGroup(SIGTERM)
    // A stopped process hears nothing until it goes on.
    signalGroup(SIGCONT)
    let grace = LoopTimer(on: loop) { [unowned self] in kill() }
    grace.start(afterMilliseconds: graceMilliseconds)
    self.grace = grace
  }

  /// Ends the group at once.
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
