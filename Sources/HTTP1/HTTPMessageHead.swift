/// What a message says before its content.
package protocol HTTPMessageHead: Equatable, Sendable {
  var fields: HTTPFields { get }
  var framing: HTTPContentFraming { get }
  /// Another message may follow.
  var keepsConnection: Bool { get }
}
