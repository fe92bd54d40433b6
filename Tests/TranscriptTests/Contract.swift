import Foundation
import TestSupport

/// Reads what the contract and the sources say, for comparison.
enum Contract {
  struct Unreadable: Error { let reason: String }

  static let directory = Programs.repository + "/proto"

  static func text(_ path: String) throws -> String {
    try String(contentsOfFile: Programs.repository + "/" + path, encoding: .utf8)
  }

  static func json(_ path: String) throws -> NSDictionary { try object(text(path)) }

  static func object(_ text: String) throws -> NSDictionary {
    guard let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? NSDictionary else {
      throw Unreadable(reason: "this is no object: \(text.prefix(80))")
    }
    return object
  }

  /// What lies at the end of these members in a file of the contract.
  static func value<Value>(_ file: String, _ members: String..., as type: Value.Type) throws -> Value {
    var value: Any = try json("proto/" + file)
    for member in members { value = (value as? NSDictionary)?[member] as Any }
    guard let found = value as? Value else {
      throw Unreadable(reason: "\(file) has no \(members.joined(separator: "."))")
    }
    return found
  }

  /// The first thing that the pattern captures, wherever it matches.
  static func captures(_ pattern: Regex<(Substring, Substring)>, in text: String) -> [String] {
    text.matches(of: pattern).map { String($0.1) }
  }

  /// What stands under a heading of the specification, up to the next one of any level.
  static func section(_ heading: String, of page: String) throws -> String {
    let text = try text("proto/" + page)
    guard let start = text.range(of: "\n" + heading + "\n") else {
      throw Unreadable(reason: "\(page) has no heading '\(heading)'")
    }
    let rest = text[start.upperBound...]
    return String(rest[..<(rest.firstRange(of: /\n#/)?.lowerBound ?? rest.endIndex)])
  }
}
