import Glibc

/// Owns what the demo writes while it runs: a picture redrawn in place or, without a terminal, lines.
package final class LiveView {
  /// From one picture to the next, at least.
  private static let frameMilliseconds = 50

  private let descriptor: Int32
  private let isTerminal: Bool
  private let style: TextStyle
  private var drawnLines = 0
  private var drawnMilliseconds = Int.min / 2

  package init(descriptor: Int32 = STDOUT_FILENO) {
    self.descriptor = descriptor
    isTerminal = isatty(descriptor) == 1
    style = TextStyle(isTerminal: isTerminal) { name in
      unsafe getenv(name).map { unsafe String(cString: $0) }
    }
  }

  /// An event has been applied to the scene.
  package func changed(
    _ scene: DemoScene, by event: DemoScene.Event, of number: Int, on side: DemoScene.Side
  ) {
    guard !isTerminal else { return tick(scene) }
    if let line = EventLine.text(event, of: number, on: side, in: scene) { write(line + "\n") }
  }

  /// Draws if the last picture is old enough; to be called now and then, for the bars that grow.
  package func tick(_ scene: DemoScene) {
    guard isTerminal, scene.nowMilliseconds - drawnMilliseconds >= Self.frameMilliseconds else { return }
    draw(scene)
  }

  /// Draws what the scene is at its end.
  package func finish(_ scene: DemoScene) {
    if isTerminal { draw(scene) }
  }

  private func draw(_ scene: DemoScene) {
    let size = TerminalSize(of: descriptor)
    let frame = Timeline(columns: size.columns, lines: size.lines, style: style).frame(scene)
    write(Redraw.text(frame, over: drawnLines))
    drawnLines = frame.count
    drawnMilliseconds = scene.nowMilliseconds
  }

  private func write(_ text: String) {
    let bytes = Array(text.utf8)
    var offset = 0
    while offset < bytes.count {
      let count = unsafe bytes.withUnsafeBytes {
        unsafe Glibc.write(descriptor, $0.baseAddress! + offset, $0.count - offset)
      }
      // Nobody looks any more: that is no reason to fail.
      guard count > 0 || errno == EINTR else { return }
      offset += max(0, count)
    }
  }
}

@available(*, unavailable)
extension LiveView: Sendable {}
