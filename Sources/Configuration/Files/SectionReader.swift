import TOML

/// Reads the blocks of a file, and collects their mistakes.
struct SectionReader {
  /// The most complaints about one file. More help nobody, and each takes time to find the name that was meant, while
  /// no client is served.
  static let mostComplaints = 100

  let file: String
  private(set) var complaints: [Complaint] = []

  init(file: String) { self.file = file }

  // MARK: Blocks

  /// Reads the settings above all blocks; `blocks` are the names of the blocks that it may hold.
  mutating func top<Values>(_ root: TOMLEntry, blocks: [String]) -> Section<Values> {
    var section = Section<Values>()
    guard case .table(let members) = root.content else { return section }
    take(members.filter { !blocks.contains($0.name) }, into: &section, otherNames: blocks)
    return section
  }

  mutating func block<Values>(in root: TOMLEntry) -> Section<Values> {
    var section = Section<Values>()
    guard let entry = entry(Values.blockName, in: root) else { return section }
    guard case .table(let members) = entry.content else {
      complain(entry.keyPlace, "'\(Values.blockName)' must be a table: [\(Values.blockName)]")
      return section
    }
    section.origin = .file(file, entry.keyPlace)
    take(members, into: &section)
    return section
  }

  /// Reads all blocks of a kind; nil if the file has none that can be read.
  mutating func blocks<Values>(in root: TOMLEntry, most: Int) -> [Section<Values>]? {
    guard let entry = entry(Values.blockName, in: root) else { return nil }
    let tables = tables(entry)
    guard case .list(let entries) = entry.content, let tables, tables.count == entries.count else {
      complain(entry.keyPlace, "'\(Values.blockName)' must be an array of tables: [[\(Values.blockName)]]")
      return nil
    }
    guard !tables.isEmpty else {
      complain(entry.valuePlace, "'\(Values.blockName)' must not be empty")
      return nil
    }
    if tables.count > most {
      complain(entries[most].keyPlace, "more than \(most) times [[\(Values.blockName)]]")
    }
    return zip(entries, tables).prefix(most).map { entry, members in
      var section = Section<Values>(origin: .file(file, entry.keyPlace))
      take(members, into: &section)
      requireAll(of: &section, at: entry.keyPlace)
      return section
    }
  }

  private func tables(_ entry: TOMLEntry) -> [[TOMLMember]]? {
    guard case .list(let entries) = entry.content else { return nil }
    return entries.compactMap { entry in
      if case .table(let members) = entry.content { members } else { nil }
    }
  }

  private func entry(_ name: String, in root: TOMLEntry) -> TOMLEntry? {
    guard case .table(let members) = root.content else { return nil }
    return members.first { $0.name == name }?.entry
  }

  // MARK: Settings

  private mutating func take<Values>(
    _ members: [TOMLMember], into section: inout Section<Values>, otherNames: [String] = [],
    of table: String = ""
  ) {
    let names = Self.names(of: Values.self, in: table) + otherNames
    for member in members {
      if Self.isTable(member.name, of: Values.self, in: table) {
        takeTable(member, into: &section)
      } else if !member.name.contains("."), let setting = Values.setting(table + member.name) {
        take(member, as: setting, into: &section)
      } else {
        let block = Values.blockName.isEmpty ? "" : " in \(Values.shownBlock)"
        complain(
          member.entry.keyPlace,
          "unknown key \(Quoted.text(table + member.name))\(block)"
            + NearestName.hint(for: table + member.name, among: names.map { table + $0 }))
      }
    }
  }

  /// Reads settings that stand together in a table of their own: `tls = { key = … }`, or `tls.key = …`.
  private mutating func takeTable<Values>(_ member: TOMLMember, into section: inout Section<Values>) {
    guard case .table(let members) = member.entry.content else {
      for setting in Values.settings where setting.name.hasPrefix(member.name + ".") {
        section.refused.insert(setting.name)
      }
      return complain(
        member.entry.valuePlace, "'\(member.name)' must be a table, not \(member.entry.kind)")
    }
    take(members, into: &section, of: member.name + ".")
  }

  private static func isTable<Values: SettingValues>(_ name: String, of _: Values.Type, in table: String)
    -> Bool
  {
    table.isEmpty && !name.contains(".") && Values.settings.contains { $0.name.hasPrefix(name + ".") }
  }

  /// The names of the settings in a table; if its name is empty, of those above all tables.
  private static func names<Values: SettingValues>(of _: Values.Type, in table: String) -> [String] {
    let names = Values.settings.map(\.name).filter { $0.hasPrefix(table) }.map {
      String($0.dropFirst(table.count))
    }
    return names.map { name in String(name.prefix { $0 != "." }) }
  }

  private mutating func take<Values>(
    _ member: TOMLMember, as setting: Setting<Values>, into section: inout Section<Values>
  ) {
    let place = member.entry.valuePlace
    do throws(Mistake) {
      try section.set(setting, to: setting.form.value(of: member.entry), from: .file(file, place))
    } catch {
      section.refused.insert(setting.name)
      let origin = error.place ?? self.place(ofItem: error.item, in: member.entry) ?? place
      complain(origin, "'\(setting.name)' \(error.message)")
    }
  }

  private func place(ofItem item: Int?, in entry: TOMLEntry) -> Place? {
    guard let item, case .list(let items) = entry.content, items.indices.contains(item) else { return nil }
    return items[item].valuePlace
  }

  private mutating func requireAll<Values>(of section: inout Section<Values>, at place: Place) {
    for setting in Values.settings where setting.isRequired {
      guard !section.isGiven(setting.name), section.isSound(setting.name) else { continue }
      section.refused.insert(setting.name)
      complain(place, "[[\(Values.blockName)]] needs '\(setting.name)'")
    }
  }

  private mutating func complain(_ place: Place, _ message: @autoclosure () -> String) {
    switch complaints.count {
    case ..<Self.mostComplaints: complaints.append(Complaint(.file(file, place), message()))
    case Self.mostComplaints:
      complaints.append(Complaint(.file(file, place), "more than \(Self.mostComplaints) mistakes"))
    default: break
    }
  }
}
