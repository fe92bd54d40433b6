import HotData
import Testing
import WebSocket

/// Random streams, right and wrong ones, cut at random places.
@Suite struct RandomCutTests {
  @Test(arguments: 0..<400 as Range<UInt64>)
  func `any cuts give the same`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for end in [WebSocketEnd.server, .client] {
      let bytes = Self.stream(to: end, &random)
      let whole = Reading(bytes, end, limitBytes: 300)
      let single = Reading(bytes, end, limitBytes: 300, cuts: bytes.isEmpty ? [] : Array(1..<bytes.count))
      #expect(single == whole)
      for _ in 0..<8 {
        let places = (0..<Int.random(in: 1...6, using: &random)).map { _ in
          Int.random(in: 0...bytes.count, using: &random)
        }
        let cut = Reading(bytes, end, limitBytes: 300, cuts: places.sorted())
        #expect(cut == whole, "cut at \(places.sorted())")
      }
    }
  }

  private static func stream(to end: WebSocketEnd, _ random: inout SplitMix64) -> [UInt8] {
    var (frames, isInMessage): ([Frame], Bool) = ([], false)
    for _ in 0..<Int.random(in: 1...8, using: &random) {
      let text = (0..<Int.random(in: 0...30, using: &random)).map { _ in
        ["a", "b", "{", "é", "語", "🌍", "12345678"].randomElement(using: &random) ?? ""
      }
      let isLast = Bool.random(using: &random)
      switch Int.random(in: 0...9, using: &random) {
      case 0: frames.append(Frame([0x89, 0x8A].randomElement(using: &random) ?? 0x89, "ping"))
      case 1: frames.append(Frame(0x88, [0x03, 0xE8] + Array("bye".utf8)))
      default:
        frames.append(Frame((isInMessage ? 0x00 : 0x01) | (isLast ? 0x80 : 0x00), text.joined()))
        isInMessage = !isLast
      }
    }
    var bytes = frames.bytes(to: end)
    if Bool.random(using: &random), let place = bytes.indices.randomElement(using: &random) {
      bytes[place] = UInt8.random(in: 0...255, using: &random)
    }
    return bytes
  }

  /// Bytes among which those that mean something in UTF-8 are frequent.
  @Test(arguments: 0..<200 as Range<UInt64>)
  func `what is text is what the standard library takes for text`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let pool: [UInt8] = [
      0x00, 0x41, 0x41, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xED,
      0xEF,
      0xF0, 0xF1, 0xF4, 0xF5, 0xFF,
    ]
    for _ in 0..<200 {
      let start = String(repeating: "é", count: Int.random(in: 0...3, using: &random))
      let middle = (0..<Int.random(in: 1...5, using: &random)).map { _ in
        pool.randomElement(using: &random) ?? 0
      }
      let ascii = [UInt8](repeating: 0x61, count: Int.random(in: 0...17, using: &random))
      let bytes = Array(start.utf8) + ascii + middle + ascii
      let expected = String(validating: bytes, as: UTF8.self).map(Reading.Event.text) ?? .fault(.notText)
      let stream = [Frame(0x81, bytes)].bytes(to: .server)
      let cut = Int.random(in: 0...stream.count, using: &random)
      #expect(Reading(stream, .server).events == [expected], "\(bytes)")
      #expect(Reading(stream, .server, cuts: [cut]).events == [expected], "\(bytes) cut at \(cut)")
    }
  }
}
