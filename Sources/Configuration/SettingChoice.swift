package import GatewayCore
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
extension CancelDialect: SettingChoice {}

/// Who shares keys.
package enum KeyScope: String, SettingChoice {
  case shared, connection
}

/// What it means that a client sends nothing more.
package enum EndOfInput: String, SettingChoice {
  /// It waits for its answers.
  case reply
  /// It has gone.
  case cancel
}

/// How a superseded caller hears of it.
package enum ErrorProfile: String, SettingChoice {
  case standard
  /// With the code that editors take silently.
  case lsp
}

package enum LogLevel: String, SettingChoice {
  case trace, debug, info, notice, warning, error, critical
}
