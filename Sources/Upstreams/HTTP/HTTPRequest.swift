#if HTTPUpstreams
import GatewayCore
import TaskStore

/// What an HTTP upstream is asked by (RFC 9110, section 9).
enum HTTPRequestMethod: Equatable {
  case post
  /// Without a content.
  case get, delete
}

/// One message on its way to an HTTP upstream, and how long its answer is wanted.
struct HTTPRequest {
  /// About how many bytes a waiting request costs besides its message.
  static let overheadBytes = 512

  let task: TaskID?
  /// It is over once the server has taken it.
  let isNotification: Bool
  let message: [UInt8]
  let traceparent: [UInt8]
  /// Its answer may come as an event stream, behind other messages.
  let takesEvents: Bool
  var method = HTTPRequestMethod.post
  /// `Name: value`, sent besides those of the endpoint.
  var fields: [String] = []
  private let deadline: UInt64

  init(_ exchange: Exchange, _ message: [UInt8], now: UInt64) {
    task = exchange.task
    isNotification = exchange.isNotification
    traceparent = exchange.traceparent
    let (sum, isBeyondTime) = now.addingReportingOverflow(exchange.remainingMilliseconds)
    deadline = isBeyondTime ? .max : sum
    takesEvents = true
    self.message = message
  }

  /// One that is about no task.
  /// - Parameter deadline: when it is over at the latest; `.max`: it may go on for ever.
  init(_ message: [UInt8], deadline: UInt64, takesEvents: Bool = false, isNotification: Bool = false) {
    task = nil
    self.isNotification = isNotification
    traceparent = []
    self.takesEvents = takesEvents
    self.deadline = deadline
    self.message = message
  }

  var heldBytes: Int { message.count + Self.overheadBytes }

  /// A notification whose time is over. (The owner of a request gives it up.)
  func isTooLate(now: UInt64) -> Bool { isNotification && remainingMilliseconds(now: now) == 0 }

  /// Nobody would give it up: it ends by itself when its time is over.
  var endsByItself: Bool { isNotification || task == nil }

  func remainingMilliseconds(now: UInt64) -> UInt64 { deadline > now ? deadline - now : 0 }
}
#endif
