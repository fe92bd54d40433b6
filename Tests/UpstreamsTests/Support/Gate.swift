import Foundation

/// Holds answers back until a test lets all of them go.
final class Gate: Sendable {
  private let isOpen = DispatchSemaphore(value: 0)

  func pass(_ request: HTTPTestRequest) -> HTTPTestReply {
    isOpen.wait()
    isOpen.signal()
    return .answer("{}")
  }

  func open() { isOpen.signal() }
}
