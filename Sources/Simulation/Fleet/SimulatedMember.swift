import Fleet
import GatewayCore

/// A process of a fleet: what it has asked the engine, and what of that, and of the watch, is still on its way.
struct SimulatedMember {
  enum State { case running, stopped, gone }

  var membership: Membership
  var state = State.running
  /// Its clock, before the scene's.
  let clockOffset: Int64
  /// What happens to it ends by then, in the scene's time.
  var stoppedUntil: Int64 = 0
  var cutUntil: Int64 = 0
  var slowUntil: Int64 = 0
  var deafUntil: Int64 = 0
  /// It is told to leave then.
  var leavesAt = Int64.max
  var nextTickAt: Int64 = 0
  /// On their way, with the time of their arrival.
  var asked: [(at: Int64, request: EngineRequest)] = []
  var answers: [(at: Int64, number: UInt64, answer: EngineAnswer, header: EngineHeader)] = []
  /// So many of the engine's changes it has been told, and the next at that time; nil: not even what there was.
  var watched: Int?
  var nextWatchAt: Int64 = 0
  /// Partitions that it drains, and when it will have done so.
  var draining: [(partition: Int, at: Int64)] = []

  func isSlow(at time: Int64) -> Bool { time < slowUntil }
  func isCut(at time: Int64) -> Bool { time < cutUntil }
}
