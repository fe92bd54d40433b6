import JSONRPC

/// What a framer said, with the line's text.
enum FramedLine: Hashable {
  case line(String)
  case tooLong
}

/// A framer that is fed chunks to their end, as by a connection.
final class FedFramer {
  private var framer: LineFramer

  init(limitBytes: Int = 100) { framer = LineFramer(limitBytes: limitBytes) }

  var isMidLine: Bool { framer.isMidLine }
  var pendingByteCount: Int { framer.pendingByteCount }

  func feed(_ chunk: String) -> [FramedLine] { feed(Array(chunk.utf8)) }

  func feed(_ chunk: [UInt8]) -> [FramedLine] {
    var lines: [FramedLine] = []
    var offset = 0
    while true {
      switch next(in: chunk, count: chunk.count, from: &offset) {
      case .incomplete: return lines
      case .inPlace(let line): lines.append(.line(String(decoding: chunk[line], as: UTF8.self)))
      case .assembled: lines.append(.line(takeText().text))
      case .tooLong: lines.append(.tooLong)
      }
    }
  }

  func next(in chunk: [UInt8], count: Int, from offset: inout Int) -> LineFramer.Frame {
    framer.next(in: chunk.span, count: count, from: &offset)
  }

  /// The assembled line, and how many readable bytes follow it.
  func takeText() -> (text: String, slackByteCount: Int) {
    let line = framer.takeAssembled()
    let range = line.range
    let text = line.withSpan { bytes in
      (String(decoding: range.map { bytes[$0] }, as: UTF8.self), bytes.count - range.upperBound)
    }
    framer.recycle(line)
    return text
  }
}
