import TLS

/// What the connections of one loop need only while they are at work, one after the other: it is there once, however
/// many there are.
package final class TLSScratch {
  /// A larger one is not kept.
  private static let keptOutputBytes = 2 * TLSEngine.outputLimitBytes

  @safe @exclusivity(unchecked) private var plaintext: [UInt8] = []
  @safe @exclusivity(unchecked) private var output: [UInt8] = []

  package init() {}

  /// Lends `body` what plaintext is put into while somebody reads it. Whoever asks meanwhile gets another.
  func lendPlaintext<Result>(_ body: (inout [UInt8]) -> Result) -> Result {
    var lent: [UInt8] = []
    swap(&lent, &plaintext)
    defer { swap(&lent, &plaintext) }
    return body(&lent)
  }

  /// Lends an idle engine room for its output, so that it need not ask for memory.
  func lendOutput(to engine: TLSEngine) {
    if engine.output.capacity == 0 { swap(&engine.output, &output) }
  }

  /// Takes the room back, unless something is still in it.
  func takeOutput(of engine: TLSEngine) {
    guard engine.output.isEmpty, engine.output.capacity > 0 else { return }
    swap(&engine.output, &output)
    engine.output = []
    if output.capacity > Self.keptOutputBytes { output = [] }
  }
}

@available(*, unavailable)
extension TLSScratch: Sendable {}
