import JSONRPC

extension EnvelopeScanner {
  /// Scans a message that was checked while it came.
  @inline(never)
  static func scan(
    _ bytes: Span<UInt8>, _ message: Range<Int>, checked verdict: JSONCheck.Verdict, _ limits: ScanLimits,
    into envelope: inout Envelope
  ) -> ScanOutcome {
    switch verdict {
    case .json: scanKnown(bytes, message, limits, into: &envelope)
    case .malformed(let offset): .malformed(offset: offset)
    case .tooDeep(let offset): .tooDeep(offset: offset)
    }
  }
}
