/// Why a request is not answered with what it asks for.
package struct HTTPFault: Error, Equatable, Sendable {
  package let status: HTTPStatus
  /// A sentence for whoever sent it.
  package let reason: String

  package init(_ status: HTTPStatus, _ reason: String) {
    self.status = status
    self.reason = reason
  }

  package static func malformed(_ reason: String) -> HTTPFault { HTTPFault(.badRequest, reason) }
}
