import LibUV

/// A server that this command started: reads its lines of output, and ends it.
final class ServerChild {
  /// How many of its last lines are kept, to tell why it ended.
  private static let lastLines = 5
  private static let lineLimitBytes = 4_096

  private var child: ChildProcess?
  private var line: [UInt8] = []
  private var said: [String] = []
  private let onLine: (String) -> Void
  private let onExit: (String) -> Void

  /// - Parameter onExit: called with the reason, unless `stop` was called before.
  init(
    _ arguments: [String], on loop: EventLoop, onLine: @escaping (String) -> Void,
    onExit: @escaping (String) -> Void
  ) throws(UVError) {
    self.onLine = onLine
    self.onExit = onExit
    let child = try ChildProcess(arguments, on: loop) { [self] in exited($0) }
    self.child = child
    for stream in [child.output, child.errors] {
      stream?.delegate = self
      stream?.startReading()
    }
  }

  private var isStopping = false

  func stop(graceMilliseconds: UInt64) {
    isStopping = true
    child?.terminate(graceMilliseconds: graceMilliseconds)
  }

  private func exited(_ exit: ChildExit) {
    for stream in [child?.input, child?.output, child?.errors] { stream?.close() }
    child = nil
    if !isStopping { onExit("\(exit)" + (said.isEmpty ? "" : ": " + said.joined(separator: "; "))) }
  }

  private func endLine() {
    let text = String(decoding: line, as: UTF8.self)
    line.removeAll(keepingCapacity: true)
    said.append(text)
    if said.count > Self.lastLines { said.removeFirst() }
    onLine(text)
  }
}

extension ServerChild: ByteStreamDelegate {
  func stream(_ stream: ByteStream, received bytes: Span<UInt8>, count: Int) {
    for index in 0..<count {
      if bytes[index] == UInt8(ascii: "\n") {
        endLine()
      } else if line.count < Self.lineLimitBytes {
        line.append(bytes[index])
      }
    }
  }

  func streamEnded(_ stream: ByteStream) {}
  func stream(_ stream: ByteStream, failed error: UVError) {}
  func streamBecameWritable(_ stream: ByteStream) {}
}

@available(*, unavailable)
extension ServerChild: Sendable {}
