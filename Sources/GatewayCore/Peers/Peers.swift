import HotData
import JSONRPC
import TaskStore

/// The machine of the other loops: which of them has a key, what each was asked, and the mirrors of their clients.
/// Where there is one loop it has nothing to do.
struct Peers: ~Copyable {
  private let place = StaysInPlace()
  let loop: LoopPlace
  /// Most keys share an owner.
  var hashes: KeyedHashOfMany
  /// Tells keys and groups of what waits apart. Its secret is the process' own: that of the other hash may be known.
  let labelHash: KeyedHash
  /// What each of them is to be told, by its number.
  var batches: SlotArray<PeerBatch>
  var sent: SentBatches

  /// Loops that do not keep up: they are asked nothing more.
  var behind: [Bool]
  /// By loop, if much is on its way there.
  var crowds: [Int: LoopCrowd] = [:]
  /// By loop: whether it does not keep up, or much is on its way there.
  var slow: [Bool]

  /// By waiter: what another loop was asked.
  var calls = SlotArray(empty: RemoteCall())
  var callsSoFar: UInt64 = 0
  /// Waiters that wait for other loops; and how many of them are a client's, by its slot.
  var openCount = 0
  var openCounts = SlotArray(empty: Int32(0), count: 0)
  /// Answers made of those of several loops, by the waiter that gets them.
  var gatherings: [Int: Gathering] = [:]
  /// By client: the loops that have a mirror of it, a bit each.
  var reach = SlotArray(empty: UInt64(0), count: 0)
  /// By client, since another loop was to be told of it: its serial number.
  var serials = SlotArray(empty: UInt64(0), count: 0)
  /// By loop: how often it has forgotten everybody.
  var lives: [UInt64]
  var serialsSoFar: UInt64 = 0
  /// Of other members whose clients have mirrors here.
  var memberLives = MemberLives()

  /// By loop, and by the client's slot there: the slot of its mirror; -1: it has none.
  var mirrors: [MirrorTable]
  /// By a mirror's slot.
  var names = SlotArray(empty: MirrorName?.none, count: 0)
  var mirrorCount = 0
  /// Mirrors of which something may wait for its partition.
  var mirrorsHeldUp: Set<Int> = []
  /// Mirrors that have ended, and whose slots at their own loops other clients have, while something of them waits.
  var endedMirrors: [RequestQueue.Asker: Int] = [:]
  /// Mirrors may have been written in this turn already: what they get besides must come behind that.
  var hasWrittenEarly = false
  /// Mirrors that the shell has not been told of.
  var newMirrors: [NewMirror] = []
  /// Clients of which there could be no mirror, since the start.
  var strangersSoFar: UInt64 = 0
  /// By their loops and their slots there, those of a fleet, and those for whose principals there is no room: a reload
  /// may make one known, or others may go.
  var strangers: [Int: [Int32: RemoteClient]] = [:]
  /// Of a fleet: which loop has which partition, and how long callers wait for it.
  var routes: PartitionRoutes
  /// By waiter: the bytes of its request while that waits here.
  var parkedByteCounts = SlotArray(empty: 0)
  var deadlines = Deadlines()
  /// By waiter that has a deadline.
  var times = SlotArray(empty: RemoteTimes())

  /// - Parameter labelSeed: a secret.
  init(_ loop: LoopPlace, labelSeed: UInt64) {
    self.loop = loop
    hashes = KeyedHashOfMany(KeyedHash(seed: loop.seed))
    labelHash = KeyedHash(seed: labelSeed)
    let count = loop.isAlone ? 0 : loop.placeCount
    batches = SlotArray(empty: PeerBatch(), count: count)
    sent = SentBatches(count: 2 * count)
    behind = [Bool](repeating: false, count: loop.placeCount)
    slow = behind
    lives = [UInt64](repeating: 0, count: loop.placeCount)
    mirrors = [MirrorTable](repeating: MirrorTable(), count: count)
    routes = PartitionRoutes(at: loop)
  }

  var hash: KeyedHash { hashes.hash }
  var areThere: Bool { !loop.isAlone }
  /// The numbers of the others, those included that pause.
  var others: [Int] { (0..<loop.placeCount).filter { $0 != loop.number && routes.isConnected($0) } }
}
