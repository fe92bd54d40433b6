import JSONRPC

/// What a framer said, with the message's bytes.
enum Framed: Hashable {
  case message([UInt8])
  /// With what is kept of its beginning.
  case tooLong([UInt8] = [])
  case badHeader
}

/// A stream that is framed in one piece, byte by byte and in uneven pieces: always the same must come out.
///
/// The input's first byte chooses the limit, the second one the pieces; the rest is the stream.
struct FramedStream {
  let limitBytes: Int
  let stream: [UInt8]
  private let pieces: [Range<Int>]

  init(_ input: [UInt8]) {
    // The three bytes of a mark at the start must fit.
    limitBytes = 3 + Int(input.first ?? 0)
    stream = Array(input.dropFirst(2))
    var (pieces, start): ([Range<Int>], Int) = ([], 0)
    var length = Int(input.dropFirst().first ?? 0)
    while start < stream.count {
      length = (length * 5 + 3) % 64
      let end = min(start + 1 + length, stream.count)
      pieces.append(start..<end)
      start = end
    }
    self.pieces = pieces
  }

  func checkLines() throws(Violation) {
    let frames = try sameFrames { LinesOnly(LineFramer(limitBytes: limitBytes)) }
    try require(frames == PlainFraming.lines(of: stream, limitBytes: limitBytes), "lines are framed wrongly")
  }

  func checkBodies() throws(Violation) {
    let frames = try sameFrames { ContentLengthFramer(limitBytes: limitBytes) }
    let plain = PlainFraming.bodies(of: stream, limitBytes: limitBytes)
    let rest = frames.dropFirst(plain.frames.count)
    try require(frames.starts(with: plain.frames), "bodies are framed wrongly")
    // A header that has not ended may be wrong already.
    try require(rest.isEmpty || plain.endsInHeader && Array(rest) == [.badHeader], "bodies appear")
  }

  func checkNoise() throws(Violation) {
    for framing in Framing.allCases {
      let frames = try sameFrames {
        UpstreamFramer(limitBytes: limitBytes, framing: framing, toleratesNoise: true)
      }
      let plain =
        switch framing {
        case .lines: PlainNoise.lines(of: stream, limitBytes: limitBytes)
        case .contentLength: PlainNoise.bodies(of: stream, limitBytes: limitBytes)
        }
      try require(frames == plain, "messages among noise are framed wrongly")
    }
  }

  func checkMessages() throws(Violation) {
    for case .message(let message) in try sameFrames({ MessageFramer(limitBytes: limitBytes) }) {
      let text = PaddedText(message)
      if text.scan() == .batch { try checkBatch(text) }
    }
  }

  /// The elements and the commas between them are all there is in a batch.
  private func checkBatch(_ text: PaddedText) throws(Violation) {
    var reader = ArrayReader(text.range)
    let count = reader.count(in: text.bytes.span, upTo: .max)
    var elements: [[UInt8]] = []
    while let element = reader.next(in: text.bytes.span) {
      elements.append(text[element.value])
      try require(PaddedText.isJSON(text[element.value]), "a batch's element is no JSON")
    }
    try require(elements.count == count, "the elements are counted wrongly")
    let written = [0x5B] + elements.joined(separator: [0x2C]) + [0x5D]
    try require(
      withoutBlanks(written) == withoutBlanks(text[ByteRange(text.range)]), "a batch lost something")
  }

  private func withoutBlanks(_ bytes: [UInt8]) -> [UInt8] {
    bytes.filter { $0 != 0x20 && $0 != 0x0A && $0 != 0x0D && $0 != 0x09 }
  }

  private func sameFrames<Framer: AnyFramer & ~Copyable>(
    _ makeFramer: () -> Framer
  ) throws(Violation) -> [Framed] {
    let whole = try frames(of: makeFramer(), in: [0..<stream.count])
    let uneven = try frames(of: makeFramer(), in: pieces)
    let bytes = try frames(of: makeFramer(), in: stream.indices.map { $0..<$0 + 1 })
    try require(uneven.frames == whole.frames, "uneven pieces change it")
    try require(bytes.frames == whole.frames, "bytes change it")
    try require(
      uneven.noiseCount == whole.noiseCount && bytes.noiseCount == whole.noiseCount,
      "noise is counted unevenly")
    return whole.frames
  }

  private func frames<Framer: AnyFramer & ~Copyable>(
    of framer: consuming Framer, in pieces: [Range<Int>]
  ) throws(Violation) -> (frames: [Framed], noiseCount: Int) {
    var frames: [Framed] = []
    for piece in pieces {
      // An array of its own, so that a sanitizer sees what is read beyond it.
      try framer.read(Array(stream[piece]), into: &frames)
    }
    return (frames, framer.noiseCount)
  }
}
