import Configuration
import GatewayCore
import JSONRPC
import TaskStore

/// The bounds between two programs on one machine that trust each other, unless the configuration says otherwise: no
/// request has a deadline, no timeout ends a wait, and what a message may be is a matter of memory.
enum PipeBounds {
  /// The longest message, where there is memory for it.
  static let messageBytes = 1024 * 1024 * 1024
  /// So often a message may be held while it passes: all of that has to fit into memory.
  static let messageCopies = 4
  static let nestingLevels = 10_000
  /// How long the program gets to leave once its input has ended, and again after SIGTERM: clangd takes four seconds.
  static let graceMilliseconds = 30_000
  /// The same where a signal says that it is to end.
  static let graceAtSignalMilliseconds: UInt64 = 2_000

  static func apply(_ bounds: Section<BoundSettings>, to core: inout GatewayConfiguration) {
    func isUsual(_ name: String) -> Bool { bounds.origin(of: name) == .standard }
    let memory = core.memoryBytes > 0 ? core.memoryBytes : .max / 2
    if isUsual("timeoutMs") { core.timeoutMilliseconds = Admission.unlimited }
    if isUsual("firstByteMs") { core.firstByteMilliseconds = 0 }
    if isUsual("messageMs") { core.messageMilliseconds = 0 }
    if isUsual("idleMs") { core.idleMilliseconds = 0 }
    if isUsual("stallMs") { core.stallMilliseconds = 0 }
    // There are no others.
    if isUsual("unansweredPerConnection") { core.unansweredPerConnection = core.store.tasks }
    if isUsual("tasksPerConnection") { core.tasksPerConnection = core.store.tasks }
    if isUsual("nestingLevels") { core.scan.nestingLevels = nestingLevels }
    if isUsual("messageBytes") { core.messageLimitBytes = min(messageBytes, memory / messageCopies) }
    if isUsual("payloadBytes") { core.payloadBytes = memory }
    if isUsual("clientOutputHardBytes") { core.clientOutputHardBytes = memory }
    if isUsual("upstreamOutputHardBytes") { core.upstreamOutputHardBytes = memory }
  }
}
