import TOMLKit

/// Turns TOML text into entries with places: TOMLKit says what it means, `PlaceScanner` where it says so.
struct TOMLReader {
  private let places: [SourcePath: SourcePlaces]

  static func read(_ bytes: [UInt8], file: String) throws(ConfigurationError) -> TOMLEntry {
    func refuse(_ place: Place, _ message: String) -> ConfigurationError {
      ConfigurationError([Complaint(.file(file, place), message)])
    }
    guard bytes.count <= FileConfiguration.limitBytes else {
      throw refuse(.start, "the file is larger than \(FileConfiguration.limitBytes) bytes")
    }
    var scanner = PlaceScanner(bytes)
    if let fault = TextFault.first(in: bytes) ?? scanner.scan() { throw refuse(fault.place, fault.message) }
    let root: TOMLTable
    do {
      root = try TOMLTable(string: String(decoding: bytes, as: UTF8.self))
    } catch let error as TOMLParseError {
      throw refuse(Place(line: error.source.begin.line, column: error.source.begin.column), error.sentence)
    } catch {
      throw refuse(.start, "\(error)")
    }
    return TOMLReader(places: scanner.places).entry(root, at: .root)
  }

  private func entry(_ value: any TOMLValueConvertible, at path: SourcePath) -> TOMLEntry {
    let place = places[path] ?? SourcePlaces(.start)
    return TOMLEntry(content: content(value, at: path), keyPlace: place.key, valuePlace: place.value)
  }

  private func content(_ value: any TOMLValueConvertible, at path: SourcePath) -> TOMLEntry.Content {
    switch value.type {
    case .int: value.int.map { .integer($0) } ?? .other("integer")
    case .bool: value.bool.map { .boolean($0) } ?? .other("boolean")
    case .string: value.string.map { .text($0) } ?? .other("string")
    case .array: .list(elements(of: value.array, at: path))
    case .table: .table(members(of: value.table, at: path))
    case .double: .other("floating-point number")
    case .date: .other("date")
    case .time: .other("time")
    case .dateTime: .other("date-time")
    }
  }

  private func elements(of array: TOMLArray?, at path: SourcePath) -> [TOMLEntry] {
    guard let array else { return [] }
    return (0..<array.count).map { entry(array[$0], at: path.appending(.index($0))) }
  }

  private func members(of table: TOMLTable?, at path: SourcePath) -> [TOMLMember] {
    guard let table else { return [] }
    let members = table.keys.compactMap { name in
      table[name].map { TOMLMember(name: name, entry: entry($0, at: path.appending(.key(name)))) }
    }
    return members.sorted { $0.entry.keyPlace < $1.entry.keyPlace }
  }
}

extension TOMLParseError {
  /// Its words as they read after "error: ".
  fileprivate var sentence: String {
    let prefix = "Error "
    return description.hasPrefix(prefix) ? String(description.dropFirst(prefix.count)) : description
  }
}
