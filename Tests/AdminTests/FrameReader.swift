import Foundation

/// A frame as the live page reads it.
struct FrameReader {
  let startMilliseconds: Int
  let mergedCount: Int
  /// By event: how long after the start it was.
  let delays: [Int]
  /// By event: the rest of it, as words.
  let events: [String]
  let keys: [String]
  let byteCount: Int

  /// Nil if it is no frame.
  init?(_ text: [UInt8]?) {
    guard let text, let frame = try? JSONSerialization.jsonObject(with: Data(text)) as? [String: Any],
      let start = frame["t"] as? Int, let merged = frame["merged"] as? Int,
      let events = frame["e"] as? [[Any]], events.allSatisfy({ $0.count > 1 })
    else { return nil }
    (startMilliseconds, mergedCount, byteCount) = (start, merged, text.count)
    delays = events.compactMap { $0[1] as? Int }
    self.events = events.map { Self.words($0.enumerated().filter { $0.offset != 1 }.map(\.element)) }
    keys = events.compactMap { event in
      switch event[0] as? String {
      case "a": event[3] as? String
      case "r": event[2] as? String
      default: nil
      }
    }
  }

  private static func words(_ values: [Any]) -> String {
    values.map { $0 is NSNull ? "-" : "\($0)" }.joined(separator: " ")
  }
}
