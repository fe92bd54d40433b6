package import JSONRPC

/// One thing that clients, upstream, the network, the operator or time do; what is impossible is skipped.
package enum Action: Hashable, Sendable {
  /// As many bytes as there are.
  static let everything = 1 << 30

  /// - Parameter room: the bytes that this client takes before it reads again.
  case connect(client: Int, listener: Int, room: Int, Framing)
  case send(client: Int, Message)
  /// The network brings bytes of a client to the gateway.
  case deliver(client: Int, bytes: Int)
  /// FIN, behind everything the client sent.
  case finish(client: Int)
  case reset(client: Int)
  /// A client reads, and so makes room.
  case read(client: Int, bytes: Int)

  case accept(upstream: Int)
  case refuse(upstream: Int)
  case cut(upstream: Int)
  case answer(upstream: Int, CallName, Answer)
  case utter(upstream: Int, Noise)
  case deliverAnswers(upstream: Int, bytes: Int)
  case readUpstream(upstream: Int, bytes: Int)

  case pass(milliseconds: Int)
  case passToNextTimer
  case drain
  case shutDown
  /// The operator has the gateway read another of the seed's configurations.
  case reconfigure(Int)
}

/// An action, and whether the gateway's loop turn ends behind it.
package struct Step: Hashable, Sendable {
  package var action: Action
  package var endsTurn = true

  init(_ action: Action, endsTurn: Bool = true) {
    self.action = action
    self.endsTurn = endsTurn
  }
}

/// A call that an upstream sees: the how manieth it is that asks this.
package struct CallName: Hashable, Sendable {
  package var ask: Int
  package var occurrence: Int
}

/// What upstream says to a call, which may have ended long ago.
package struct Answer: Hashable, Sendable {
  package enum Kind: Int, Hashable, Sendable, CaseIterable {
    case result, error
    /// JSON but no JSON-RPC: a result and an error at once.
    case both
    /// A good answer, but its id is spelt so that it is another.
    case fractionalID, stringID
  }

  package var kind: Kind
  package var form: Int
}

/// What upstream says to nobody.
package enum Noise: Int, Hashable, Sendable, CaseIterable {
  case notification, unknownID, hugeID, nullID, batch, garbage, tooLong
}

extension Action {
  enum Kind: Int, CaseIterable {
    case connect, request, notification, cancelRequest, oddity, deliver, finish, reset, read
    case cancelByID, cancelByKey, cancelByGroup, inspect, batch
    case accept, refuse, cut, result, error, both, fractionalID, stringID, noise, deliverAnswers, readUpstream
    case pass, passToNextTimer, drain, shutDown, reconfigure
  }

  var kind: Kind {
    switch self {
    case .connect: .connect
    case .send(_, .request(let request)): request.isNotification ? .notification : .request
    case .send(_, .cancelRequest): .cancelRequest
    case .send(_, .cancel(_, .id)): .cancelByID
    case .send(_, .cancel(_, .key)): .cancelByKey
    case .send(_, .cancel(_, .group)): .cancelByGroup
    case .send(_, .inspect): .inspect
    case .send(_, .batch): .batch
    case .send(_, .oddity): .oddity
    case .deliver: .deliver
    case .finish: .finish
    case .reset: .reset
    case .read: .read
    case .accept: .accept
    case .refuse: .refuse
    case .cut: .cut
    case .answer(_, _, let answer): answer.kind.actionKind
    case .utter: .noise
    case .deliverAnswers: .deliverAnswers
    case .readUpstream: .readUpstream
    case .pass: .pass
    case .passToNextTimer: .passToNextTimer
    case .drain: .drain
    case .shutDown: .shutDown
    case .reconfigure: .reconfigure
    }
  }
}

extension Answer.Kind {
  fileprivate var actionKind: Action.Kind {
    switch self {
    case .result: .result
    case .error: .error
    case .both: .both
    case .fractionalID: .fractionalID
    case .stringID: .stringID
    }
  }
}
