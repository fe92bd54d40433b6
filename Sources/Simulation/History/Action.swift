package import GatewayCore
package import JSONRPC

/// One thing that clients, upstream, the network, the operator or time do; what is impossible is skipped.
package enum Action: Hashable, Sendable {
  /// As many bytes as there are.
  static let everything = 1 << 30

  /// - Parameter room: the bytes that this client takes before it reads again.
  /// - Parameter user: the user that connects, where its machine knows that.
  case connect(client: Int, listener: Int, room: Int, Framing, user: Int)
  /// The same under TLS: the gateway's core hears of it once the handshake is over.
  case connectSecurely(client: Int, listener: Int, room: Int, Framing, user: Int)
  case send(client: Int, Message)
  /// The network brings bytes of a client to the gateway.
  case deliver(client: Int, bytes: Int)
  /// The same when there is no time for them in this turn.
  case deliverLate(client: Int, bytes: Int)
  /// The gateway goes on with what it holds of the client whose turn it is.
  case goOn
  /// FIN, behind everything the client sent, and perhaps behind the beginning of a message.
  case finish(client: Int, isMidMessage: Bool)
  case reset(client: Int)
  /// The same when there is no time for it in this turn.
  case resetLate(client: Int)
  /// FIN under TLS, behind everything the client sent, but without TLS's own word that this is all.
  case cutOff(client: Int)
  /// A byte of a client's ciphertext is changed on its way, the how manieth of it.
  case alter(client: Int, place: Int)
  /// A client under TLS goes on with other keys, and wants the gateway to do so.
  case changeKeys(client: Int)
  /// A client reads, and so makes room.
  case read(client: Int, bytes: Int)

  /// - Parameter room: the bytes that this end takes before it reads again.
  case accept(link: Int, room: Int)
  case refuse(link: Int)
  case cut(link: Int)
  case answer(link: Int, CallName, Answer)
  /// An exchange ends without an answer, or without a notification's delivery.
  case fail(link: Int, CallName, ExchangeFailure)
  /// A notification that is an exchange of its own is delivered.
  case take(link: Int, CallName)
  case ask(link: Int, Question)
  case utter(link: Int, Noise)
  case deliverAnswers(link: Int, bytes: Int)
  case readUpstream(link: Int, bytes: Int)

  case pass(milliseconds: Int)
  case passToNextTimer
  case drain
  case shutDown
  /// The operator has the gateway read another of the seed's configurations.
  case reconfigure(Int)
  /// The operator ends a connection.
  case evict(client: Int)

  /// What goes on between the gateways of a cluster.
  case member(MemberAction)
}

/// What upstream says to nobody.
package enum Noise: Int, Hashable, Sendable, CaseIterable {
  case unknownID, hugeID, nullID, batch, brokenJSON, longMessage
  /// No message at all, but text of other kinds.
  case garbage, longLine
}

extension Action {
  enum Kind: Int, CaseIterable {
    case connect, request, notification, cancelRequest, malformed, deliver, deliverLate, goOn, finish, reset,
      resetLate, read
    case connectSecurely, cutOff, alter, changeKeys
    case cancelByID, cancelByKey, cancelByGroup, inspect, authenticate, batch
    case accept, refuse, cut, result, error, both, tooLong, tooDeep, fractionalID, stringID, nullID, nonsense,
      failUnsent,
      failSent, failUntried, take
    case question, tell, takeQuestionBack, progress, noise, deliverAnswers, readUpstream
    case reply, cancelledNotification
    case pass, passToNextTimer, drain, shutDown, reconfigure, evict
    case openLink, probe, receiveFrames, cutLink, delayLink, stopMember, resumeMember, killMember, startMember
  }

  var kind: Kind {
    switch self {
    case .connect: .connect
    case .connectSecurely: .connectSecurely
    case .cutOff: .cutOff
    case .alter: .alter
    case .changeKeys: .changeKeys
    case .send(_, .request(let request)): request.isNotification ? .notification : .request
    case .send(_, .cancelRequest): .cancelRequest
    case .send(_, .cancelled): .cancelledNotification
    case .send(_, .reply): .reply
    case .send(_, .cancel(_, .id)): .cancelByID
    case .send(_, .cancel(_, .key)): .cancelByKey
    case .send(_, .cancel(_, .group)): .cancelByGroup
    case .send(_, .inspect): .inspect
    case .send(_, .authenticate): .authenticate
    case .send(_, .batch), .send(_, .items): .batch
    case .send(_, .malformed): .malformed
    case .deliver: .deliver
    case .deliverLate: .deliverLate
    case .goOn: .goOn
    case .finish: .finish
    case .reset: .reset
    case .resetLate: .resetLate
    case .read: .read
    case .accept: .accept
    case .refuse: .refuse
    case .cut: .cut
    case .answer(_, _, let answer): answer.kind.actionKind
    case .fail(_, _, let failure): failure.actionKind
    case .take: .take
    case .ask(_, let question): question.kind.actionKind
    case .utter: .noise
    case .deliverAnswers: .deliverAnswers
    case .readUpstream: .readUpstream
    case .pass: .pass
    case .passToNextTimer: .passToNextTimer
    case .drain: .drain
    case .shutDown: .shutDown
    case .reconfigure: .reconfigure
    case .evict: .evict
    case .member(let action): action.kind
    }
  }
}

extension Answer.Kind {
  fileprivate var actionKind: Action.Kind {
    switch self {
    case .result: .result
    case .error: .error
    case .both: .both
    case .tooLong: .tooLong
    case .tooDeep: .tooDeep
    case .fractionalID: .fractionalID
    case .stringID: .stringID
    case .nullID: .nullID
    case .nonsense: .nonsense
    }
  }
}

extension ExchangeFailure {
  fileprivate var actionKind: Action.Kind {
    switch self {
    case .untried: .failUntried
    case .unreached: .failUnsent
    case .unanswered, .tooLong: .failSent
    }
  }
}

extension Question.Kind {
  fileprivate var actionKind: Action.Kind {
    switch self {
    case .request: .question
    case .notification: .tell
    case .cancel: .takeQuestionBack
    case .progress: .progress
    }
  }
}
