import Foundation

/// A frame as the live page reads it.
struct FrameReader {
  let startMilliseconds: Int
  let mergedCount: Int
  /// By event: how long after the start it was.
  let delays: [Int]
  /// By event: the rest of it but for its origin, as words.
  let events: [String]
  /// By event of a request that came: from where, as words.
  let origins: [String]
  let keys: [String]
  let byteCount: Int

  /// Nil if it is no frame.
  init?(_ text: [UInt8]?) {
    guard let text, let frame = try? JSONSerialization.jsonObject(with: Data(text)) as? [String: Any],
      let start = frame["t"] as? Int, let merged = frame["merged"] as? Int,
      let from = frame["from"] as? [[Any]], Set(from.map { "\($0)" }).count == from.count,
      let events = frame["e"] as? [[Any]], events.allSatisfy({ $0.count > 1 })
    else { return nil }
    let places = events.map(Self.place)
    guard places.allSatisfy({ $0.map(from.indices.contains) ?? true }) else { return nil }
    (startMilliseconds, mergedCount, byteCount) = (start, merged, text.count)
    delays = events.compactMap { $0[1] as? Int }
    self.events = events.map { Self.words(Self.withoutOrigin($0)) }
    origins = places.compactMap { $0.map { Self.words(from[$0]) } }
    keys = events.compactMap { event in
      switch event[0] as? String {
      case "a": event[3] as? String
      case "r": event[2] as? String
      default: nil
      }
    }
  }

  /// How long an event is that tells from where its request came.
  private static func fullLength(_ event: [Any]) -> Int? {
    ["a": 8, "j": 4, "r": 7][event[0] as? String ?? ""]
  }

  /// Which of the frame's origins an event refers to.
  private static func place(_ event: [Any]) -> Int? {
    event.count == fullLength(event) ? event.last as? Int : nil
  }

  /// Without when it was, too, and, if that is the usual one, whose key it has.
  private static func withoutOrigin(_ event: [Any]) -> [Any] {
    var words = event
    if place(event) != nil {
      words.removeLast()
      if words[0] as? String != "j", words.last as? Int == 0 { words.removeLast() }
    }
    words.remove(at: 1)
    return words
  }

  private static func words(_ values: [Any]) -> String {
    values.map { $0 is NSNull ? "-" : "\($0)" }.joined(separator: " ")
  }
}
