import Dispatch
import Foundation
import LastwordKit

struct Query: Decodable {
  /// Which of the client's search boxes it was typed into.
  let box: String
  let text: String
}

/// Searches while somebody types: each letter asks again, and the search for the letters before is cancelled.
///
/// It listens at the addresses that are its arguments, or at 127.0.0.1:5278.
@main
struct WordSearch {
  static func main() async throws {
    let words = CompoundWords()
    let addresses = CommandLine.arguments.dropFirst()
    var gateway = Gateway(listen: addresses.isEmpty ? ["127.0.0.1:5278"] : Array(addresses))

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
    do {
      try await running.value
    } catch {
      // Another program may listen there, such as `lastword serve`.
      FileHandle.standardError.write(Data("WordSearch: \(error)\n".utf8))
      exit(EX_UNAVAILABLE)
    }
  }
}
