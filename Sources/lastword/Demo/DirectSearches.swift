import Admin
import Demo
import JSONRPC
import LibUV
import Upstreams

/// Searches for pages without a gateway: each starts at once, none is cancelled, and answers are sent as they come.
final class DirectSearches {
  /// How many searches may run for one page.
  static let runningLimit = 64

  enum Outcome {
    case began
    case unknown
    case full
  }

  /// What a page has to know before it can search.
  struct Hello {
    var reader: UInt64
    var run: String
    var gateway: String
    var directory: String

    var json: [UInt8] {
      var json = JSONBuilder()
      json.object {
        $0.member("reader", reader)
        $0.member("run", run)
        $0.member("gateway", gateway)
        $0.member("directory", directory)
      }
      return json.bytes
    }
  }

  private struct Reader {
    var stream: EventStream
    var runningCount = 0
  }

  private struct Answer: Sendable {
    var reader: UInt64
    var number: UInt32
    /// JSON text; nil: the search failed.
    var result: [UInt8]?
  }

  private let handler: DemoHandler
  private var readers: [UInt64: Reader] = [:]
  private var readersSoFar: UInt64 = 0
  private var answers: Mailbox<Answer>?

  init(_ handler: DemoHandler, on loop: EventLoop) throws(UVError) {
    self.handler = handler
    answers = try Mailbox(on: loop) { [unowned self] in deliver($0) }
  }

  /// - Parameter hello: makes the first event for the new reader, given its number.
  func join(_ stream: EventStream, _ hello: (UInt64) -> Hello) {
    readersSoFar += 1
    let number = readersSoFar
    readers[number] = Reader(stream: stream)
    stream.onClose = { [weak self] in self?.readers[number] = nil }
    stream.send(event: "hello", data: hello(number).json)
  }

  func search(_ query: String, number: UInt32, for reader: UInt64) -> Outcome {
    guard let runningCount = readers[reader]?.runningCount, let sender = answers?.sender else {
      return .unknown
    }
    guard runningCount < Self.runningLimit else { return .full }
    readers[reader]?.runningCount += 1
    var params = JSONBuilder()
    params.object { $0.member("q", query) }
    let request = HandlerRequest(method: Array("search".utf8), params: params.bytes)
    Task { [handler] in
      let result = try? await handler.answer(request)
      sender.send(Answer(reader: reader, number: number, result: result))
    }
    return .began
  }

  private func deliver(_ answer: Answer) {
    guard let stream = readers[answer.reader]?.stream else { return }
    readers[answer.reader]?.runningCount -= 1
    var event = Array("{\"number\":\(answer.number),\"result\":".utf8)
    event += answer.result ?? Array("null".utf8)
    event.append(UInt8(ascii: "}"))
    stream.send(event: "answer", data: event)
  }

  func close() {
    answers?.close()
    answers = nil
    readers = [:]
  }
}

@available(*, unavailable)
extension DirectSearches: Sendable {}
