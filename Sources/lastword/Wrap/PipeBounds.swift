import Configuration
import GatewayCore
import JSONRPC
import TaskStore

/// The bounds between two programs on one machine that trust each other, unless the configuration says otherwise: there
/// are no deadlines and no timeouts, and only memory bounds a message.
enum PipeBounds {
  /// The longest message, if there is memory for it.
  static let messageBytes = 1024 * 1024 * 1024
  /// How many copies of a message may exist while it passes: all have to fit into memory.
  static let messageCopies = 4
  static let nestingLevels = 10_000
  /// How long the program may take to exit once its input has ended, and again after SIGTERM: clangd takes four
  /// seconds.
  static let graceMilliseconds = 30_000
  /// The same after a signal to this command.
  static let graceAtSignalMilliseconds: UInt64 = 2_000

  static func apply(_ bounds: Section<BoundSettings>, to core: inout GatewayConfiguration) {
    func isUsual(_ name: String) -> Bool { bounds.origin(of: name) == .standard }
    let memory = core.memoryBytes > 0 ? core.memoryBytes : .max / 2
    if isUsual("timeoutMs") { core.timeoutMilliseconds = Admission.unlimited }
    if isUsual("firstByteMs") { core.firstByteMilliseconds = 0 }
    if isUsual("messageMs") { core.messageMilliseconds = 0 }
    if isUsual("idleMs") { core.idleMilliseconds = 0 }
    if isUsual("stallMs") { core.stallMilliseconds = 0 }
    // The one client may use all.
    if isUsual("unansweredPerConnection") { core.unansweredPerConnection = core.store.tasks }
    if isUsual("tasksPerConnection") { core.tasksPerConnection = core.store.tasks }
    if isUsual("nestingLevels") { core.scan.nestingLevels = nestingLevels }
    if isUsual("messageBytes") { core.messageLimitBytes = min(messageBytes, memory / messageCopies) }
    if isUsual("payloadBytes") { core.payloadBytes = memory }
    if isUsual("clientOutputHardBytes") { core.clientOutputHardBytes = memory }
    if isUsual("upstreamOutputHardBytes") { core.upstreamOutputHardBytes = memory }
  }
}
