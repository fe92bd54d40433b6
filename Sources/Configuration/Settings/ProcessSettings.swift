/// What concerns the process as a whole.
package struct ProcessSettings: SettingValues {
  package var drainMilliseconds = 5_000

  package init() {}

  package static let blockName = ""
  package static let blockMeaning: [String] = []
  package static let settings: [Setting<Self>] = [
    .integer(
      "drainMs", \.drainMilliseconds, 0...SettingLimit.milliseconds, .milliseconds,
      "How long what still runs is given when the gateway is told to stop.")
  ]
}
