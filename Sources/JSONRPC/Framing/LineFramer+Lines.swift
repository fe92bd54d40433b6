extension LineFramer {
  /// The next line that ends in `bytes` from `offset` on, as bytes of its own; nil: all of them are taken. For those who
  /// take lines of any length: what passes the limit is not given.
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
