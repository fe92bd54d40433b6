import Client
import JSONRPC

/// Messages over connections that take one POST at a time.
extension LoadRun {
  /// Checks a reply to the POST that is under way; returns whether it can be that of a request.
  func checkPost(_ link: LoadLink, _ number: UInt64?, status: Int, errorCode: Int?) -> Bool {
    if status == 401, let errorCode {
      failedToLogIn(errorCode)
      return false
    }
    guard number == link.asked, let number, number != 0 else {
      if status == 200 || link.isForCancels {
        violated(.unexpectedReply(number: number ?? 0), lane: link.lane, key: nil)
      } else {
        fail("the gateway refuses a POST with status \(status)")
      }
      return false
    }
    link.asked = 0
    if !PostStatus.isRight(status, errorCode: errorCode) {
      violated(.wrongStatus(number: number, status: status), lane: link.lane, key: nil)
    }
    return true
  }

  /// A response has ended.
  /// - Parameter isKept: another may follow over its connection.
  func ended(_ link: LoadLink, isKept: Bool) {
    guard link.connection != nil else { return }
    let number = link.asked
    if number != 0, oracle.take(number, on: link.lane) != nil {
      violated(.emptyResponse(number: number), lane: link.lane, key: nil)
    }
    (link.asked, link.isBusy) = (0, false)
    if isKept { becameFree(link) } else { connectAnew(link) }
  }

  /// Opens a new connection, as the gateway has ended the old one, or is about to.
  func connectAnew(_ link: LoadLink) {
    link.connection?.close()
    link.forget()
    lanes[link.lane].free.removeAll { $0 === link }
    if phase == .running || phase == .settling { connect(link) }
  }
}
