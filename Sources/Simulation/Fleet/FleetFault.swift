/// What goes wrong in the histories of fleets.
package enum FleetFault: Int, CaseIterable, Sendable {
  case memberStops, memberIsKilled, memberLeaves, membersAreDrained, memberIsCutOff, memberIsSlow, loopIsDeaf
  case memberIsBarred, engineIsAway, engineAnswersTwice, engineAnswerIsLost, watchBeginsAnew
  case linkBreaks, pairIsSilent, pairIsSilentForLong, linkPauses, writesAreHeldBack, permitEndsInTurn
  case clocksDiffer, generationsAreSpent

  package var name: String {
    switch self {
    case .memberStops: "stops of members of a fleet"
    case .memberIsKilled: "kills of members of a fleet"
    case .memberLeaves: "leaves of members of a fleet"
    case .membersAreDrained: "drains of members of a fleet"
    case .memberIsCutOff: "members that do not reach the engine"
    case .memberIsSlow: "members that the engine is slow for"
    case .loopIsDeaf: "members that do not hear their own loops"
    case .memberIsBarred: "members that nobody reaches"
    case .engineIsAway: "times in which the engine is away"
    case .engineAnswersTwice: "answers of the engine that come twice"
    case .engineAnswerIsLost: "answers of the engine that are lost"
    case .watchBeginsAnew: "watches that begin anew"
    case .linkBreaks: "links between members that break"
    case .pairIsSilent: "pairs of members of which neither hears the other"
    case .pairIsSilentForLong: "links between members that end for silence"
    case .linkPauses: "links between members that pause"
    case .writesAreHeldBack: "times in which what is written to upstream is held back"
    case .permitEndsInTurn: "permits that end in a turn"
    case .clocksDiffer: "fleets whose clocks differ in their rates"
    case .generationsAreSpent: "partitions that have used up the generations of an epoch"
    }
  }
}
