import Glibc

/// When the kernel probes a silent TCP peer; if the peer does not answer, the kernel ends the connection.
package struct KeepAlive: Hashable, Sendable {
  /// The time between probes without an answer.
  package static let intervalSeconds: Int32 = 10
  /// How many probes without an answer end the connection.
  package static let probes: Int32 = 6
  /// Where nothing else is said.
  package static let usualMilliseconds = 60_000

  /// How long the peer is silent before the first probe.
  package let idleSeconds: Int32

  /// How long the peer may be silent, with all that it is asked.
  var silenceMilliseconds: UInt64 { UInt64(idleSeconds + Self.intervalSeconds * Self.probes) * 1_000 }

  /// - Parameter milliseconds: how long the peer is silent before the first probe; rounded up to whole seconds, at most
  ///   some nine hours.
  /// - Returns: nil for 0, which stands for no probes.
  package init?(milliseconds: Int) {
    guard milliseconds > 0 else { return nil }
    idleSeconds = Int32(min((milliseconds - 1) / 1_000 + 1, Int(Int16.max)))
  }

  /// Sockets that a listening socket accepts inherit it.
  package func apply(to descriptor: Int32) throws(UVError) {
    try Self.set(descriptor, SOL_SOCKET, SO_KEEPALIVE, 1)
    let level = Int32(IPPROTO_TCP)
    try Self.set(descriptor, level, TCP_KEEPIDLE, idleSeconds)
    try Self.set(descriptor, level, TCP_KEEPINTVL, Self.intervalSeconds)
    try Self.set(descriptor, level, TCP_KEEPCNT, Self.probes)
  }

  private static func set(_ descriptor: Int32, _ level: Int32, _ name: Int32, _ value: Int32) throws(UVError)
  {
    var value = value
    guard setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<Int32>.size)) == 0 else {
      throw .last
    }
  }
}
