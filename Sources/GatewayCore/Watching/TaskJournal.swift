/// The events of tasks since it was last emptied, for watchers; nothing is noted while nobody watches.
package struct TaskJournal: ~Copyable {
  package private(set) var isOpen = false
  /// So many events are noted; what is beyond is counted only.
  private var limitEvents = 0
  package private(set) var events: [TaskEvent] = []
  /// Keys and methods.
  package private(set) var text: [UInt8] = []
  /// From where the events' requests came: no more than there are events.
  package private(set) var origins: [TaskOrigin] = []
  /// So many of them were named.
  private var namedCount = 0
  /// Events that found no place.
  package private(set) var leftOutCount: UInt64 = 0

  /// An open one with nothing in it.
  package init() {}

  /// A copy of another loop's journal, which goes on by itself.
  package init(_ copy: Copy) {
    (events, text, origins, leftOutCount) = (copy.events, copy.text, copy.origins, copy.leftOutCount)
  }

  /// What is noted in it, to be taken elsewhere.
  package struct Copy: Sendable {
    fileprivate var events: [TaskEvent]
    fileprivate let text: [UInt8]
    fileprivate var origins: [TaskOrigin]
    fileprivate let leftOutCount: UInt64
  }

  /// - Parameter loop: clients of other loops have other numbers in it.
  package func copy(of loop: LoopPlace) -> Copy {
    var copy = Copy(events: events, text: text, origins: origins, leftOutCount: leftOutCount)
    for index in copy.events.indices where copy.events[index].client >= 0 {
      copy.events[index].client = loop.unique(copy.events[index].client)
    }
    copy.origins = origins.map { $0.at(ClientID(slot: loop.unique($0.client.slot))) }
    return copy
  }

  /// Notes so many events at most until it is emptied; nil: none, and does not even count them.
  mutating func open(limitEvents: Int?) {
    isOpen = limitEvents != nil
    self.limitEvents = limitEvents ?? 0
  }

  /// Whether there is room for one more event; one that there is no room for is counted.
  @inline(__always)
  mutating func takesMore() -> Bool {
    if events.count < limitEvents { return true }
    leftOutCount &+= 1
    return false
  }

  mutating func note(_ event: TaskEvent) { events.append(event) }

  /// The place of an origin; that of the last one, if it is the same: mostly several requests of one come together.
  mutating func place(of origin: TaskOrigin) -> Int {
    if origins.last?.client != origin.client || origins.last?.connection != origin.connection {
      origins.append(origin)
    }
    return origins.count - 1
  }

  /// The first of those that nobody has named.
  var unnamedOrigin: TaskOrigin? { namedCount < origins.count ? origins[namedCount] : nil }

  /// Completes what is known of that one.
  mutating func nameOrigin(as origin: TaskOrigin) {
    origins[namedCount] = origin
    namedCount += 1
  }

  /// The text, to be written on and put back.
  mutating func takeText() -> [UInt8] {
    var taken: [UInt8] = []
    swap(&taken, &text)
    return taken
  }

  mutating func putBack(_ text: [UInt8]) { self.text = text }

  mutating func removeAll() {
    events.removeAll(keepingCapacity: true)
    text.removeAll(keepingCapacity: true)
    origins.removeAll(keepingCapacity: true)
    namedCount = 0
    leftOutCount = 0
  }
}
