import GatewayCore

/// One gateway of a cluster, with the clients and upstreams that it has for itself.
final class Member {
  enum State { case isRunning, isStopped, isDown }

  var world: World
  var state = State.isRunning

  init(_ world: consuming World) { self.world = world }
}
