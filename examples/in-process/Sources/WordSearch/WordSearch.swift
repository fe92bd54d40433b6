import Dispatch
import Glibc
import LastwordKit

struct Query: Decodable {
  /// Which of the client's search boxes it was typed into.
  let box: String
  let text: String
}

/// Searches while somebody types: each letter asks again, and the search for the letters before is cancelled.
@main
struct WordSearch {
  static func main() async throws {
    let words = CompoundWords()
    var gateway = Gateway(listen: Array(CommandLine.arguments.dropFirst()))

    gateway.handle("search", key: "/box", policy: .cancel) { (query: Query) in
      guard (1...CompoundWords.longestQuery).contains(query.text.count) else {
        throw RPCFailure.invalidParams("params.text has 1 to \(CompoundWords.longestQuery) letters")
      }
      return try words.closest(to: query.text)
    }
    gateway.handle("count") { (_: NoParams) in words.count }

    let running = Task { [gateway] in
      try await gateway.run { addresses in print("Listening on \(addresses.joined(separator: ", "))") }
    }
    // What has been asked is answered before the program ends.
    signal(SIGTERM, SIG_IGN)
    let termination = DispatchSource.makeSignalSource(signal: SIGTERM, queue: .main)
    termination.setEventHandler { running.cancel() }
    termination.resume()
    try await running.value
  }
}
