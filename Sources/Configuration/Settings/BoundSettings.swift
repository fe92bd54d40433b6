package import GatewayCore
import TaskStore

/// The bounds: how much a client, an upstream or a key may cost, and how long things may take.
///
/// Each value is a field of the core's configuration, with its default there. A new bound is such a field, and a line
/// in `settings`.
package struct BoundSettings: SettingValues {
  /// The core's configuration; only the fields of `settings` differ from the defaults.
  package internal(set) var core = GatewayConfiguration()

  package init() {}

  package static let blockName = "bounds"
  package static let blockMeaning = [
    "What a client, an upstream or a key can at most cost, and how long things may take."
  ]
  package static let settings = messageSettings + countSettings + byteSettings + timeSettings

  /// `timeoutMs` as the file has it: 0 stands for "for ever".
  var timeoutMilliseconds: Int {
    get { core.timeoutMilliseconds == Admission.unlimited ? 0 : Int(core.timeoutMilliseconds) }
    set { core.timeoutMilliseconds = newValue > 0 ? UInt32(clamping: newValue) : Admission.unlimited }
  }

  /// The value of a bound by its name, as the file has it.
  func number(_ name: String) -> Int {
    guard case .integer(let number)? = Self.setting(name)?.read(self) else {
      preconditionFailure("there is no bound \(name)")
    }
    return number
  }
}
