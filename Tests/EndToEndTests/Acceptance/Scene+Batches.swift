import Foundation

extension Scene {
  /// The entries of a batch's reply by their ids: a result, or an error's code.
  func entries(of reply: String) throws -> [String: String] {
    let array = try JSONSerialization.jsonObject(with: Data(reply.utf8)) as? [[String: Any]] ?? []
    let entries = array.map { entry in
      let code = (entry["error"] as? [String: Any])?["code"]
      return (entry["id"] is NSNull ? "null" : "\(entry["id"]!)", "\(code ?? entry["result"]!)")
    }
    return Dictionary(entries) { "\($0) and \($1)" }
  }
}
