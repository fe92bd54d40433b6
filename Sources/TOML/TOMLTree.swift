/// The tables of a text as they come to be, and the rules by which one may be made, opened or added to.
struct TOMLTree {
  static let root = 0

  /// How a table came to be.
  enum Making {
    /// It stands on the way to others only.
    case implied
    case header
    /// By dotted keys.
    case dotted
  }

  enum Value {
    case closed(TOMLEntry.Content)
    case table(Int)
    /// An array of tables, which has a list of them.
    case tables(list: Int)
  }

  struct Member {
    let key: TOMLKey
    let place: Place
    let value: Value
  }

  private struct Table {
    var making: Making
    let place: Place
    let level: Int
    var members: [Member] = []
    var indices: [[UInt8]: Int] = [:]
  }

  private let nestingLevels: Int
  private var tables = [Table(making: .header, place: .start, level: 0)]
  private var lists: [[Int]] = []

  init(nestingLevels: Int) { self.nestingLevels = nestingLevels }

  private func member(_ key: TOMLKey, of table: Int) -> Member? {
    tables[table].indices[key.identity].map { tables[table].members[$0] }
  }

  private mutating func add(_ member: Member, to table: Int) {
    tables[table].indices[member.key.identity] = tables[table].members.count
    tables[table].members.append(member)
  }

  // MARK: Headers

  /// `[a.b]`, each once.
  mutating func open(_ path: TOMLPath) throws(TOMLFault) -> Int {
    let parent = try way(ofHeader: path.way)
    guard let member = member(path.last, of: parent) else {
      return try addTable(path.last, .header, to: parent)
    }
    guard case .table(let table) = member.value, tables[table].making == .implied else {
      throw .second(path.last, member)
    }
    tables[table].making = .header
    return table
  }

  /// `[[a.b]]`: one more element.
  mutating func append(_ path: TOMLPath) throws(TOMLFault) -> Int {
    let parent = try way(ofHeader: path.way)
    let key = path.last
    let level = tables[parent].level + 2
    guard level <= nestingLevels else { throw tooDeep(key.place) }
    let element = tables.count
    if let member = member(key, of: parent) {
      guard case .tables(let list) = member.value else { throw .second(key, member) }
      lists[list].append(element)
    } else {
      add(Member(key: key, place: key.place, value: .tables(list: lists.count)), to: parent)
      lists.append([element])
    }
    tables.append(Table(making: .header, place: key.place, level: level))
    return element
  }

  /// Goes through tables of any kind, and the newest element of an array of them.
  private mutating func way(ofHeader keys: [TOMLKey]) throws(TOMLFault) -> Int {
    var table = Self.root
    for key in keys {
      guard let member = member(key, of: table) else {
        table = try addTable(key, .implied, to: table)
        continue
      }
      switch member.value {
      case .table(let next): table = next
      case .tables(let list): table = lists[list][lists[list].count - 1]
      case .closed: throw .closed(key, member)
      }
    }
    return table
  }

  // MARK: Keys

  /// Goes through tables that no header has made.
  mutating func way(_ keys: [TOMLKey], from table: Int) throws(TOMLFault) -> Int {
    var table = table
    for key in keys {
      guard let member = member(key, of: table) else {
        table = try addTable(key, .dotted, to: table)
        continue
      }
      guard case .table(let next) = member.value, tables[next].making != .header else {
        throw .closed(key, member)
      }
      tables[next].making = .dotted
      table = next
    }
    return table
  }

  /// How deep a key stands that is not there yet.
  func levelOfNew(_ key: TOMLKey, in table: Int) throws(TOMLFault) -> Int {
    if let member = member(key, of: table) { throw .second(key, member) }
    let level = tables[table].level + 1
    guard level <= nestingLevels else { throw tooDeep(key.place) }
    return level
  }

  mutating func add(_ key: TOMLKey, _ content: TOMLEntry.Content, at place: Place, to table: Int) {
    add(Member(key: key, place: place, value: .closed(content)), to: table)
  }

  private mutating func addTable(
    _ key: TOMLKey, _ making: Making, to parent: Int
  ) throws(TOMLFault) -> Int {
    let level = try levelOfNew(key, in: parent)
    let table = tables.count
    add(Member(key: key, place: key.place, value: .table(table)), to: parent)
    tables.append(Table(making: making, place: key.place, level: level))
    return table
  }

  func tooDeep(_ place: Place) -> TOMLFault {
    TOMLFault(place, "nested more than \(nestingLevels) levels deep")
  }

  // MARK: In one line

  /// A table in braces: until it is closed it is the newest, but for those in it.
  mutating func addInline(at place: Place, level: Int) -> Int {
    tables.append(Table(making: .header, place: place, level: level))
    return tables.count - 1
  }

  mutating func close(_ table: Int) -> TOMLEntry.Content {
    defer { tables.removeSubrange(table...) }
    return content(of: table)
  }

  // MARK: All of it

  /// Goes only as deep as `nestingLevels`.
  func content(of table: Int) -> TOMLEntry.Content {
    .table(tables[table].members.map { TOMLMember(name: $0.key.name, entry: entry($0)) })
  }

  private func entry(_ member: Member) -> TOMLEntry {
    TOMLEntry(content: content(of: member.value), keyPlace: member.key.place, valuePlace: member.place)
  }

  private func content(of value: Value) -> TOMLEntry.Content {
    switch value {
    case .closed(let content): content
    case .table(let table): content(of: table)
    case .tables(let list): .list(lists[list].map(element))
    }
  }

  private func element(_ table: Int) -> TOMLEntry {
    let place = tables[table].place
    return TOMLEntry(content: content(of: table), keyPlace: place, valuePlace: place)
  }
}

extension TOMLFault {
  fileprivate static func second(_ key: TOMLKey, _ member: TOMLTree.Member) -> TOMLFault {
    TOMLFault(
      key.place, "\(Quoted.text(key.name)) is given a second time; the first is at", at: member.key.place)
  }

  fileprivate static func closed(_ key: TOMLKey, _ member: TOMLTree.Member) -> TOMLFault {
    TOMLFault(
      key.place, "nothing can be added here to \(Quoted.text(key.name)), which is \(member.value.kind) at",
      at: member.key.place)
  }
}

extension TOMLTree.Value {
  /// In a sentence.
  fileprivate var kind: String {
    switch self {
    case .closed(.table): "a table in braces"
    case .closed(.list): "an array in brackets"
    case .closed(let content): content.kind
    case .table: "a table with a header"
    case .tables: "an array of tables"
    }
  }
}
