package import LibUV

/// Children that are not needed any more and may still take some time to exit; their number is bounded.
package final class DepartingChildren {
  package static let usualLimit = 64

  private let limit: Int
  /// In the order in which they came.
  private var children: [UpstreamChild] = []

  /// The exit of the child that ended last, whether or not it was departing.
  package internal(set) var lastExit: ChildExit?

  /// Why the last child could not be started, while none ever was; nil: one was, or none was tried.
  package private(set) var startFailure: UVError?
  private var hasStarted = false
  /// Called for each child that could not be started, after all others have been told.
  package var onStartFailure: ((UVError) -> Void)?

  package init(limit: Int = usualLimit) { self.limit = limit }

  package var isEmpty: Bool { children.isEmpty }

  func started() {
    hasStarted = true
    startFailure = nil
  }

  func startFailed(_ error: UVError) {
    if !hasStarted { startFailure = error }
    onStartFailure?(error)
  }

  /// Kills all of them.
  package func killAll() {
    for child in children { child.kill() }
  }

  func add(_ child: UpstreamChild) {
    children.append(child)
    if children.count > limit { children.removeFirst().kill() }
  }

  func remove(_ child: UpstreamChild) { children.removeAll { $0 === child } }
}

@available(*, unavailable)
extension DepartingChildren: Sendable {}
