/// One thing that a member, or the network between members, does; what is impossible is skipped.
package enum MemberAction: Hashable, Sendable {
  /// The member opens a link to another.
  case open(link: Int, to: Int, delayMilliseconds: Int)
  /// It sends a frame that is there for nothing but to arrive.
  case probe(link: Int, bytes: Int)
  /// So many that are on their way to it arrive, as far as their time has come.
  case receive(link: Int, events: Int)
  /// - Parameter arriving: of what is on its way, so much each way still arrives.
  case cut(link: Int, arriving: Int)
  /// What is sent from now on takes so long.
  case delay(link: Int, milliseconds: Int)

  /// Its process does nothing, and no bytes come to it, until it goes on: then time has passed.
  case stop
  case resume
  /// Its process is gone, with all connections; it knows nothing any more when it starts again.
  case kill(arriving: Int)
  case start
}

extension MemberAction {
  var kind: Action.Kind {
    switch self {
    case .open: .openLink
    case .probe: .probe
    case .receive: .receiveFrames
    case .cut: .cutLink
    case .delay: .delayLink
    case .stop: .stopMember
    case .resume: .resumeMember
    case .kill: .killMember
    case .start: .startMember
    }
  }
}
