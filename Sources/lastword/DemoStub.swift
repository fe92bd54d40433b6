import JSONRPC
import Upstreams
enum Corpus { static let defaultDirectory = "/usr/share" }
struct DemoHandler: RequestHandler {
  init(directory: String) {}
  func answer(_ request: HandlerRequest) async throws -> [UInt8] {
    switch String(decoding: request.method, as: UTF8.self) {
    case "echo": return request.params.isEmpty ? Array("null".utf8) : request.params
    case "sleep":
      let text = String(decoding: request.params, as: UTF8.self)
      let digits = text.split(separator: ":").dropFirst().first?.prefix { $0.isNumber } ?? "0"
      try await Task.sleep(for: .milliseconds(Int(digits) ?? 0))
      return request.params
    default: throw RPCError.methodNotFound
    }
  }
}
