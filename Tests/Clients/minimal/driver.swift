// Drives examples/clients/swift/lastword.swift as Tests/Clients/minimal.py says.
import Foundation

struct Params: Encodable {
  let ms: Int
  let q: String
}

struct Found: Decodable, Sendable {
  let q: String
}

@main
struct Driver {
  static func main() async throws {
    let gateway: Lastword
    do {
      gateway = try await connect(CommandLine.arguments[1], Int(CommandLine.arguments[2])!)
    } catch {
      FileHandle.standardError.write(Data("error: \(error)\n".utf8))
      exit(1)
    }
    var calls: [String: Task<Found, any Error>] = [:]
    // Waiting for a line holds up the main actor, and nothing else.
    while let line = readLine() {
      let words = line.split(separator: " ", maxSplits: 4).map(String.init)
      switch words[0] {
      case "ask":
        let params = Params(ms: Int(words[3])!, q: words[4])
        calls[words[1]] = Task.detached {
          try await gateway.call("sleep", params, task: .init(key: words[2]))
        }
      case "call": calls[words[1]] = Task.detached { try await gateway.call(words[2], nil as Params?) }
      case "cancel": calls[words[1]]?.cancel()
      default:
        let outcome = await outcome(of: calls[words[1]]!)
        FileHandle.standardOutput.write(Data("\(words[1]) \(outcome)\n".utf8))
      }
    }
    await gateway.close()
  }

  /// Under TLS, and with a token, if the environment says so.
  static func connect(_ host: String, _ port: Int) async throws -> Lastword {
    let environment = ProcessInfo.processInfo.environment
    let gateway: Lastword
    if let ca = environment["LASTWORD_CA"] {
      gateway = try Lastword(over: SecureSocket(Lastword.connected(host, port), to: host, ca: ca))
    } else {
      gateway = try Lastword(host: host, port: port)
    }
    if let token = environment["LASTWORD_TOKEN"], !token.isEmpty { try await gateway.authenticate(token) }
    return gateway
  }

  static func outcome(of call: Task<Found, any Error>) async -> String {
    do {
      return "result \(try await call.value.q)"
    } catch let error as Lastword.RPCError {
      return "error \(error.code)" + (error.isUnwanted ? " unwanted" : "")
        + (error.mayHaveRun ? " may-have-run" : "")
    } catch is Lastword.Lost {
      return "lost"
    } catch {
      return "\(error)"
    }
  }
}
