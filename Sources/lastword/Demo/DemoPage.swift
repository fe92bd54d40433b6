import Addresses
import Admin
import Demo
import HTTP1
import LibUV

/// The page to type into, on its loop: it serves its files, and searches directly, without a gateway.
///
/// `GET /answers` is a stream of events, which begins with what the page has to know. `GET /search` starts a search at
/// once, however many run already; its answer comes as an event.
final class DemoPage {
  private let server: AdminServer
  private let searches: DirectSearches
  /// Different each time the demo starts, so that a page of an earlier run is loaded again.
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

  /// The origins of its pages, as browsers send them.
  var origins: [String] {
    guard case .tcp(_, let port) = address else { return [] }
    return ["http://\(address)", "http://localhost:\(port)"]
  }

  /// Starts to answer requests.
  /// - Parameter busyMilliseconds: returns the processor time of the searches so far, with and without the gateway.
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

  /// The Content-Security-Policy: scripts and styles are the page's own files, and it connects to its server and the
  /// gateway only.
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
