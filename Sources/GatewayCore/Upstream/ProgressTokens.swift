import HotData
import JSONRPC
import TaskStore

/// Which request the tokens name by which an upstream of a client's own reports progress.
struct ProgressTokens {
  /// By a hash of the token, the newest request that has it. Those that have ended go with the next sweep.
  private var tasks: [UInt64: TaskID] = [:]
  private static let keptTokens = 16

  /// So many may be kept where so many tasks are there: more than they have.
  private static func limit(_ taskCount: Int) -> Int { max(keptTokens, 2 * AskedTokens.most * taskCount) }

  var count: Int { tasks.count }

  subscript(hash: UInt64) -> TaskID? { tasks[hash] }

  /// A request came that has this token.
  /// - Parameters:
  ///   - taskCount: so many tasks there are.
  ///   - isThere: whether a task is one of them.
  mutating func add(_ hash: UInt64, of task: TaskID, taskCount: Int, isThere: (TaskID) -> Bool) {
    if tasks.count >= Self.limit(taskCount) { tasks = tasks.filter { isThere($0.value) } }
    tasks[hash] = task
  }

  /// No task is left.
  mutating func removeAll() { if !tasks.isEmpty { tasks = [:] } }
}

/// The tokens that a request asks for progress by, as hashes.
struct AskedTokens {
  static let most = 3
  var workDone: UInt64?
  var partialResult: UInt64?
  /// As the Model Context Protocol has it.
  var meta: UInt64?

  var isEmpty: Bool { workDone == nil && partialResult == nil && meta == nil }
}

/// Finds the tokens of progress, in the two dialects that are known on both sides.
struct ProgressTokenReader {
  private let hash: KeyedHash
  private var unescaped: [UInt8] = []

  /// - Parameter seed: random, so that nobody outside can choose tokens that collide.
  init(seed: UInt64) { hash = KeyedHash(seed: seed) }

  /// The token in a report of progress; nil for any other notification.
  mutating func reported(_ envelope: Envelope, in bytes: Span<UInt8>) -> UInt64? {
    let isMCP = JSONString.equals(envelope.method, in: bytes, "notifications/progress")
    guard isMCP || JSONString.equals(envelope.method, in: bytes, "$/progress"), !envelope.params.isEmpty
    else {
      return nil
    }
    return member(isMCP ? "progressToken" : "token", of: envelope.params, in: bytes)
  }

  /// The tokens that a request asks for progress by, the first of each name.
  mutating func asked(_ params: ByteRange, in bytes: Span<UInt8>) -> AskedTokens {
    var asked = AskedTokens()
    guard !params.isEmpty else { return asked }
    var members = ObjectReader(params)
    while let member = members.next(in: bytes) {
      if asked.workDone == nil, member.isNamed("workDoneToken", in: bytes) {
        asked.workDone = token(member, in: bytes)
      } else if asked.partialResult == nil, member.isNamed("partialResultToken", in: bytes) {
        asked.partialResult = token(member, in: bytes)
      } else if asked.meta == nil, member.kind == .object, member.isNamed("_meta", in: bytes) {
        asked.meta = self.member("progressToken", of: member.value, in: bytes)
      }
    }
    return asked
  }

  private mutating func member(
    _ name: StaticString, of object: ByteRange, in bytes: Span<UInt8>
  ) -> UInt64? {
    var members = ObjectReader(object)
    while let member = members.next(in: bytes) {
      if member.isNamed(name, in: bytes) { return token(member, in: bytes) }
    }
    return nil
  }

  private mutating func token(_ member: Member, in bytes: Span<UInt8>) -> UInt64? {
    switch member.kind {
    case .number: return hash.hash(0, bytes.extracting(member.value.range))
    case .string:
      unescaped.removeAll(keepingCapacity: unescaped.capacity <= Self.keptBytes)
      _ = JSONString.unescape(member.value, in: bytes, into: &unescaped)
      return hash.hash(1, unescaped.span)
    default: return nil
    }
  }

  private static let keptBytes = 1024
}
