package import LibUV

/// Children that nobody needs any more and that still have time to leave: so many at once and no more.
package final class DepartingChildren {
  package static let usualLimit = 64

  private let limit: Int
  /// In the order in which they came.
  private var children: [UpstreamChild] = []

  /// How the last child ended that has ended, whether or not it was sent off.
  package internal(set) var lastExit: ChildExit?

  /// Why the last child could not be started, while none was; nil: one was, or none was to be.
  package private(set) var startFailure: UVError?
  private var hasStarted = false
  /// Told of each child that could not be started, behind everybody else.
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

  /// Ends them at once.
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
