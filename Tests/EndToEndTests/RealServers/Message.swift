import Foundation

/// A message of JSON-RPC, as far as the tests of real servers look at one.
struct Message {
  let method: String?
  /// As it is spelled: `1`, `"1"`.
  let id: String?
  let params: [String: Any]
  /// Nil if it is an error, a request or a notification; `NSNull` if it is null.
  let result: Any?
  let errorCode: Int?
  let errorMessage: String?

  init(_ text: String) throws {
    let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] ?? [:]
    method = object["method"] as? String
    id = object["id"].map { ($0 as? String).map { "\"\($0)\"" } ?? "\($0)" }
    params = object["params"] as? [String: Any] ?? [:]
    result = object["result"]
    let error = object["error"] as? [String: Any]
    errorCode = error?["code"] as? Int
    errorMessage = error?["message"] as? String
  }

  subscript(_ path: String...) -> Any? {
    path.reduce(result) { ($0 as? [String: Any])?[$1] }
  }

  /// The names that a completion offers.
  var labels: [String] {
    let items = (self["items"] ?? result) as? [[String: Any]] ?? []
    return items.compactMap { $0["label"] as? String }
  }

  static func text(_ object: [String: Any]) throws -> String {
    let whole = object.merging(["jsonrpc": "2.0"]) { own, _ in own }
    return String(
      decoding: try JSONSerialization.data(withJSONObject: whole, options: .withoutEscapingSlashes),
      as: UTF8.self)
  }
}
