package import GatewayCore
import TaskStore

/// What a client, an upstream or a key can at most cost, and how long things may take.
///
/// Each is kept where the gateway has it: a new one is a field there, with its default, and a line in `settings`.
package struct BoundSettings: SettingValues {
  /// Only what `settings` name differs from the defaults.
  package internal(set) var core = GatewayConfiguration()

  package init() {}

  package static let blockName = "bounds"
  package static let blockMeaning = [
    "What a client, an upstream or a key can at most cost, and how long things may take."
  ]
  package static let settings = messageSettings + countSettings + byteSettings + timeSettings

  /// As the file has it: 0 is for ever.
  var timeoutMilliseconds: Int {
    get { core.timeoutMilliseconds == Admission.unlimited ? 0 : Int(core.timeoutMilliseconds) }
    set { core.timeoutMilliseconds = newValue > 0 ? UInt32(clamping: newValue) : Admission.unlimited }
  }

  /// One by its name, as the file has it.
  func number(_ name: String) -> Int {
    guard case .integer(let number)? = Self.setting(name)?.read(self) else {
      preconditionFailure("there is no bound \(name)")
    }
    return number
  }
}
