import Foundation

/// Holds answers back until a test lets all of them go.
final class Gate: Sendable {
  private let isOpen = DispatchSemaphore(value: 0)

  func pass(_ request: HTTPTestRequest) -> HTTPTestReply {
    wait()
    return .answer("{}")
  }

  func wait() {
    isOpen.wait()
    isOpen.signal()
  }

  func open() { isOpen.signal() }
}
