#if HTTPUpstreams
import GatewayCore
import TaskStore

/// The methods for requests to an HTTP upstream (RFC 9110, section 9).
enum HTTPRequestMethod: Equatable {
  case post
  /// Requests without content.
  case get, delete
}

/// One message on its way to an HTTP upstream, and how long its answer is wanted.
struct HTTPRequest {
  /// About how many bytes a waiting request costs besides its message.
  static let overheadBytes = 512

  let task: TaskID?
  /// Whether it is a notification, which is over once the server has taken it.
  let isNotification: Bool
  let message: [UInt8]
  let traceparent: [UInt8]
  /// Whether its answer may come in an event stream, behind other messages.
  let takesEvents: Bool
  /// Whether of an event that is too long the beginning is a message, with blanks behind it that make it too long for
  /// its reader, too, who judges it by that. Else such an event ends the request.
  var cutsLongEvents = false
  var method = HTTPRequestMethod.post
  /// `Name: value`, sent besides the endpoint's header fields.
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

  /// A request without a task.
  /// - Parameter deadline: when it ends at the latest, in milliseconds of the loop's clock; `.max`: it may go on for
  ///   ever.
  init(_ message: [UInt8], deadline: UInt64, takesEvents: Bool = false, isNotification: Bool = false) {
    task = nil
    self.isNotification = isNotification
    traceparent = []
    self.takesEvents = takesEvents
    self.deadline = deadline
    self.message = message
  }

  var heldBytes: Int { message.count + Self.overheadBytes }

  /// Whether it is a notification whose time is over. (A request is ended by its owner.)
  func isTooLate(now: UInt64) -> Bool { isNotification && remainingMilliseconds(now: now) == 0 }

  /// Whether it ends by itself when its time is over, because no owner would end it.
  var endsByItself: Bool { isNotification || task == nil }

  func remainingMilliseconds(now: UInt64) -> UInt64 { deadline > now ? deadline - now : 0 }
}
#endif
