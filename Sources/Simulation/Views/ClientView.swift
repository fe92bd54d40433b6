import GatewayCore
import JSONRPC

/// A connection as the oracle sees it.
struct ClientView {
  /// Itself, or the first in its session: keys of scope `connection` go by that.
  var own: Int
  /// The session of a POST that names one, once its client is known.
  var session: SessionIdentity?
  var listener = 0
  var framing = Framing.lines
  var kind = ClientKind.stream
  /// What was special about its listener when it connected.
  var options = ListenerOptions()
  var isThere = false
  var person = Person.anyone
  /// Which principal it is, or was before that was taken away.
  var principal: Int?
  /// What it was known by was taken away: it closes, and nothing makes it known again.
  var isRevoked = false
  /// It was ended from outside: of a POST what is at work is taken back, and it hears so.
  var isEnded = false
  /// When the token ends that it showed; nil: never.
  var endMilliseconds: Int?
  /// How often it failed to authenticate.
  var failures = 0
  /// Too often, or as a POST: nothing more is read from it.
  var hasFailed = false
  /// Requests that were judged, some of them answered since.
  var requests: [Int] = []
  /// Its requests that became tasks, as far as is known.
  var admitted: [Int] = []
  /// Some of its requests had the same id: nobody knows which of those are answered.
  var hadTwins = false
  var hadBatches = false
  /// Replies with an id of null: how many may have come, must have come, and have come.
  var nullsAllowed: [Int: Int] = [:]
  var nullsDue: [Int: Int] = [:]
  var nullsHeard: [Int: Int] = [:]
  /// It may have been given up in the middle of a message, and told so behind so many parse errors that were due.
  var parseErrorsBeforeHalf: Int?
  /// Its first line was none of ours: it is answered in its own protocol.
  var speaksHTTP = false
  /// Questions that its own upstreams asked it, by the number under which it was asked, from 1 on.
  var asked: [Int] = []
  var lastReply = Oracle.LastReply()
  /// Asides that it must hear: by the number of the answer that followed, and as which caller.
  var asidesDue: [(answer: Int, caller: Int)] = []
  /// An upstream of its own is lost: nothing more is read from it.
  var isLeaving = false
  /// Since which turn it is gone; `.max`: it is there.
  var goneTurn = Int.max
  /// It has sent its last byte, and cancelled all with that.
  var wantsNothing = false
  /// Tasks that were admitted for it, some of them ended since.
  var tasks: [Int] = []

  init(_ client: Int) { own = client }

  var mayHearOfHalf: Bool { parseErrorsBeforeHalf != nil }
}
