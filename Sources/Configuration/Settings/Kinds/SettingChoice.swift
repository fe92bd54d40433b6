package import GatewayCore
package import JSONRPC
package import TaskStore

/// A value out of a few that have names.
package protocol SettingChoice: CaseIterable, Hashable, Sendable {
  var name: String { get }
}

extension SettingChoice {
  static var names: [String] { allCases.map(\.name) }

  init?(named name: String) {
    guard let choice = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = choice
  }
}

extension SettingChoice where Self: RawRepresentable<String> {
  package var name: String { rawValue }
}

extension DuplicatePolicy: SettingChoice {}
extension JoinRule: SettingChoice {}
extension SupersededRule: SettingChoice {}
extension CancelDialect: SettingChoice {}

extension Framing: SettingChoice {
  package var name: String {
    switch self {
    case .lines: "lines"
    case .contentLength: "content-length"
    }
  }
}
