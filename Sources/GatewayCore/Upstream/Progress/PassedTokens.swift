import HotData
import JSONRPC
import TaskStore

/// Progress tokens in requests to upstreams that clients share. Each is replaced by a token of ours, which names the
/// task and which of its tokens it stands for.
struct PassedTokens {
  /// Which token it is: the letter that stands for it in ours.
  enum Name: UInt8 {
    case workDone = 0x77  // w
    case partialResult = 0x70  // p
    /// As the Model Context Protocol has it.
    case meta = 0x6D  // m
  }

  /// A token of a client's: where it stands in what a task asks, from its params' first byte on, and how it is spelled.
  struct Place {
    let name: Name
    let range: Range<Int>
    let text: [UInt8]
  }

  /// A token has so many bytes at most, as it stands there.
  static let limitBytes = 128

  private struct Entry {
    let task: TaskID
    let places: [Place]
  }

  /// By the task's slot. The entry of a task that has ended is never looked up, and soon replaced.
  private var entries: [Int: Entry] = [:]
  /// With more entries than this those of ended tasks are removed.
  private static func limit(_ taskCount: Int) -> Int { 256 + 2 * taskCount }

  var count: Int { entries.count }

  /// In the order in which they stand there; none: it has none.
  func places(of task: TaskID) -> [Place] {
    guard !entries.isEmpty, let entry = entries[task.slot], entry.task == task else { return [] }
    return entry.places
  }

  /// A request came that has tokens.
  /// - Parameters:
  ///   - taskCount: so many tasks there are.
  ///   - isThere: whether a task is one of them.
  mutating func add(_ places: [Place], of task: TaskID, taskCount: Int, isThere: (TaskID) -> Bool) {
    if entries.count >= Self.limit(taskCount) { entries = entries.filter { isThere($0.value.task) } }
    entries[task.slot] = Entry(task: task, places: places)
  }

  // MARK: Texts

  /// Finds the tokens by which a request asks for progress.
  /// - Throws: if one is too long, or stands there twice: nobody knows which of them upstream would take.
  static func find(in params: ByteRange, of bytes: Span<UInt8>) throws(RPCError) -> [Place] {
    var places: [Place] = []
    try ProgressTokenReader.forEachToken(in: params, of: bytes) { name, member throws(RPCError) in
      try add(name, member, of: params, bytes, to: &places)
    }
    return places
  }

  private static func add(
    _ name: Name, _ member: Member, of params: ByteRange, _ bytes: Span<UInt8>, to places: inout [Place]
  ) throws(RPCError) {
    guard member.kind == .string || member.kind == .number else { return }
    guard member.value.count <= limitBytes else {
      throw .invalidParams("params: a token of progress has more than \(limitBytes) bytes")
    }
    guard !places.contains(where: { $0.name == name }) else {
      throw .invalidParams("params: a token of progress stands there twice")
    }
    var text: [UInt8] = []
    text.append(bytes, member.value.range)
    let start = member.value.range.lowerBound - params.range.lowerBound
    places.append(Place(name: name, range: start..<start + text.count, text: text))
  }

  /// Writes the params with our tokens in the place of the client's.
  /// - Parameters:
  ///   - asked: ends with the params, which begin at `start`.
  ///   - task: the task that asks.
  static func write<Sink: ByteSink & ~Copyable>(
    _ asked: Span<UInt8>, from start: Int, _ places: [Place], of task: TaskID, into sink: inout Sink
  ) {
    var written = 0
    for place in places {
      sink.append(asked, written..<start + place.range.lowerBound)
      append(place.name, of: task, into: &sink)
      written = start + place.range.upperBound
    }
    sink.append(asked, written..<asked.count)
  }

  private static func append<Sink: ByteSink & ~Copyable>(
    _ name: Name, of task: TaskID, into sink: inout Sink
  ) {
    sink.append("\"")
    sink.append(decimal: task.rawValue)
    sink.append(name.rawValue)
    sink.append("\"")
  }

  /// Which task's token this is, and which; nil: it is none of ours.
  static func parse(_ token: ByteRange, in bytes: Span<UInt8>) -> (task: TaskID, name: Name)? {
    let (range, quote) = (token.range, UInt8(ascii: "\""))
    guard range.count > 3, bytes[range.lowerBound] == quote, bytes[range.upperBound - 1] == quote,
      let name = Name(rawValue: bytes[range.upperBound - 2])
    else { return nil }
    let digits = ByteRange(range.lowerBound + 1..<range.upperBound - 2)
    guard let number = JSONNumber.nonNegativeInteger(digits, in: bytes), let task = TaskID(exactly: number)
    else { return nil }
    return (task, name)
  }
}
