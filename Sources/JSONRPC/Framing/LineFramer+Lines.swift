extension LineFramer {
  /// The next line that ends in `bytes` from `offset` on, as bytes of its own; nil: all bytes are taken. For callers
  /// that take lines of any length: lines beyond the limit are left out.
  package mutating func nextLine(in bytes: [UInt8], from offset: inout Int) -> [UInt8]? {
    while true {
      switch next(in: bytes.span, count: bytes.count, from: &offset) {
      case .incomplete: return nil
      case .tooLong: continue
      case .inPlace(let range): return Array(bytes[range])
      case .assembled:
        let line = takeAssembled()
        let bytes = line.withSpan { span in line.range.map { span[$0] } }
        recycle(line)
        return bytes
      }
    }
  }
}
