import JSONRPC

/// The members of an object in a report file; unknown ones, from a later version, are ignored.
struct ReportObject {
  private let object: ReportValue
  private let members: [Member]

  init(_ object: ReportValue) {
    self.object = object
    var members: [Member] = []
    var reader = ObjectReader(object.range)
    while let member = reader.next(in: object.bytes.span) { members.append(member) }
    self.members = members
  }

  /// nil when there is no such member.
  func optional(_ name: StaticString) throws(LoadFileError) -> ReportValue? {
    let found = members.filter { $0.isNamed(name, in: object.bytes.span) }
    guard found.count <= 1 else { throw object.error("\"\(name)\" is there twice") }
    return found.first.map {
      ReportValue(
        $0.value, $0.kind, at: object.place.isEmpty ? "\(name)" : "\(object.place).\(name)", in: object)
    }
  }

  func value(_ name: StaticString) throws(LoadFileError) -> ReportValue {
    guard let value = try optional(name) else { throw object.error("\"\(name)\" is missing") }
    return value
  }

  func count(_ name: StaticString) throws(LoadFileError) -> UInt64 { try value(name).number() }

  func nanoseconds(_ name: StaticString) throws(LoadFileError) -> UInt64 {
    try value(name).number(upTo: ReportBounds.nanoseconds)
  }

  func text(_ name: StaticString) throws(LoadFileError) -> String { try value(name).text() }

  func objects(_ name: StaticString, upTo limit: Int) throws(LoadFileError) -> [ReportObject] {
    var objects: [ReportObject] = []
    for element in try value(name).elements(upTo: limit) { objects.append(try element.object()) }
    return objects
  }

  func error(_ reason: String) -> LoadFileError { object.error(reason) }
}
