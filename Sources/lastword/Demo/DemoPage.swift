import Addresses
import Admin
import Demo
import HTTP1
import LibUV

/// The page to type into, on its loop: its files, and the way to the search server without a gateway.
///
/// `GET /answers` is a stream of events, which opens with what the page has to know. `GET /search` has the server
/// search at once, whatever it does already; the answer comes as an event.
final class DemoPage {
  private let server: AdminServer
  private let searches: DirectSearches
  /// Another one each time the demo starts: a page of an earlier one is loaded anew.
  private let run = String(UInt64.random(in: 0 ... .max), radix: 16)
  private let directory: String

  /// Starts to listen.
  init(
    at address: SocketAddress, _ directory: String, _ handler: DemoHandler, on loop: EventLoop
  ) throws(UVError) {
    self.directory = directory
    searches = try DirectSearches(handler, on: loop)
    do throws(UVError) {
      server = try AdminServer(AdminOptions(address), on: loop)
    } catch {
      searches.close()
      throw error
    }
  }

  var address: SocketAddress { server.address }

  /// What its pages' browsers say of where they are from.
  var origins: [String] {
    guard case .tcp(_, let port) = address else { return [] }
    return ["http://\(address)", "http://localhost:\(port)"]
  }

  /// Answers from now on.
  /// - Parameter busyMilliseconds: the processor time that searches have taken so far, on each way.
  func open(
    before gateway: SocketAddress,
    busyMilliseconds: @escaping () -> (direct: Int, gateway: Int)
  ) {
    for file in PageFile.all {
      var response = HTTPResponse(type: file.type, file.bytes)
      response.policy = Self.policy(gateway)
      server.add(file.path, isShort: true) { [response] _ in response }
    }
    server.addStream("/answers") { [searches, run, directory] _, stream in
      searches.join(stream) {
        .init(reader: $0, run: run, gateway: "ws://\(gateway)", directory: directory)
      }
    }
    server.add("/search", isShort: true) { [searches] request in
      guard let reader = request.target.parameter("reader").flatMap({ UInt64($0) }),
        let number = request.target.parameter("number").flatMap({ UInt32($0) }),
        let query = request.target.parameter("q")
      else { return .text("search wants reader, number and q\n", .badRequest) }
      switch searches.search(query, number: number, for: reader) {
      case .began: return .text("", .accepted)
      case .unknown: return .text("no such reader of answers\n", .notFound)
      case .full: return .text("too many searches\n", .tooManyRequests)
      }
    }
    server.add("/work", isShort: true) { _ in
      let busy = busyMilliseconds()
      return .json(Array("{\"direct\":\(busy.direct),\"gateway\":\(busy.gateway)}".utf8))
    }
  }

  /// Scripts and styles are the page's own files, and it speaks with its server and the gateway only.
  private static func policy(_ gateway: SocketAddress) -> String {
    [
      "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src data:",
      "connect-src 'self' ws://\(gateway)", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
    ].joined(separator: "; ")
  }

  func close() {
    server.close()
    searches.close()
  }
}

@available(*, unavailable)
extension DemoPage: Sendable {}
