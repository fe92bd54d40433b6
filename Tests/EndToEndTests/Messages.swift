import Foundation
import TestSupport

/// A request as a line.
func request(
  _ id: Int, _ method: String, _ params: String = "{}", key: String? = nil, policy: String? = nil,
  task extra: String = ""
) -> String {
  var task = ""
  if let key {
    task = #","task":{"key":"\#(key)""# + (policy.map { #","policy":"\#($0)""# } ?? "") + extra + "}"
  }
  return #"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)","params":\#(params)\#(task)}"#
}

func sleeping(_ id: Int, _ text: String, milliseconds: Int, key: String = "k", policy: String) -> String {
  request(id, "sleep", #"{"ms":\#(milliseconds),"q":"\#(text)"}"#, key: key, policy: policy)
}

/// A reply, as far as the tests look at one.
struct Reply: Equatable, CustomStringConvertible {
  var id: Int?
  var code: Int?
  /// Of a result that is an object, its member `q`; else the result as text.
  var result: String?
  var phase: String?
  var upstream: String?

  init(_ line: String) throws {
    let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as! [String: Any]
    id = object["id"] as? Int
    if let error = object["error"] as? [String: Any] {
      code = error["code"] as? Int
      let data = error["data"] as? [String: Any]
      phase = data?["phase"] as? String
      upstream = data?["upstream"] as? String
    } else {
      let value = object["result"]
      result = (value as? [String: Any])?["q"] as? String ?? value.map { "\($0)" }
    }
  }

  var description: String {
    "\(id ?? 0): " + (code.map { "error \($0) \(phase ?? "") \(upstream ?? "")" } ?? result ?? "nothing")
  }
}

extension LineSocket {
  /// What an upstream of the test's own is asked: the id and the method.
  func asked() throws -> (id: Int?, method: String, cancelled: Int?) {
    let object = try JSONSerialization.jsonObject(with: Data(expect().utf8)) as! [String: Any]
    let params = object["params"] as? [String: Any]
    return (
      object["id"] as? Int, object["method"] as! String, (params?["id"] ?? params?["requestId"]) as? Int
    )
  }

  func answer(_ id: Int, _ result: String) throws {
    try send(#"{"jsonrpc":"2.0","id":\#(id),"result":"\#(result)"}"#)
  }
}
