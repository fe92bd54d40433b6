import LastwordKit

// What snippets take for granted.

struct Query: Decodable {
  let box: String
  let text: String
}

struct Box: Encodable {
  let name: String
}

struct Index {
  func search(_ text: String) async throws -> [String] { [] }
  /// A snippet may have hits of its own.
  func search<Hit>(_ text: String) async throws -> [Hit] { [] }
}

struct Model {
  func words(_ prompt: String) -> AsyncStream<String> { AsyncStream { $0.finish() } }
}

let model = Model()
let index = Index()
let query = Query(box: "a", text: "swift")
