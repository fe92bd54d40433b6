extension RunningProgram {
  /// What a program says, line by line.
  final class Lines {
    private let end: PipeEnd
    /// What has come and was not asked for yet.
    private var buffer: [UInt8] = []

    init(from end: PipeEnd) { self.end = end }

    /// The next line, without its end; nil once the program says no more.
    func next() throws -> String? {
      var searched = 0
      while true {
        if let end = buffer[searched...].firstIndex(of: 0x0a) {
          let line = String(decoding: buffer[..<end], as: UTF8.self)
          buffer.removeSubrange(...end)
          return line
        }
        searched = buffer.count
        let more = try end.read()
        guard !more.isEmpty else { return nil }
        buffer += more
      }
    }
  }
}
