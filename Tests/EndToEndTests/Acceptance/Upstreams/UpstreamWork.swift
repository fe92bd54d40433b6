import Foundation

/// What an upstream works on that takes no notice of cancels, and whether it was told of them as it should be.
struct UpstreamWork {
  private(set) var open: [Int] = []
  private(set) var mostOpen = 0
  private(set) var newestMethod = ""
  private var cancelled: Set<Int> = []
  /// Cancels of what is not open, or cancelled already.
  private(set) var strayCancels = 0

  mutating func hear(_ line: UnsafeRawBufferPointer) throws {
    let object = try JSONSerialization.jsonObject(with: Data(line)) as! [String: Any]
    if let id = object["id"] as? Int {
      open.append(id)
      mostOpen = max(mostOpen, open.count)
      newestMethod = object["method"] as! String
    } else {
      let id = (object["params"] as! [String: Any])["id"] as! Int
      if !open.contains(id) || !cancelled.insert(id).inserted { strayCancels += 1 }
    }
  }

  /// The answer that ends what has been open for longest.
  mutating func endOldest() -> String { end(open.removeFirst()) }
  mutating func endNewest() -> String { end(open.removeLast()) }

  private mutating func end(_ id: Int) -> String {
    cancelled.remove(id)
    return #"{"jsonrpc":"2.0","id":\#(id),"result":"at last"}"#
  }
}
