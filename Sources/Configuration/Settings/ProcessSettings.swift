/// The settings of the process as a whole.
package struct ProcessSettings: SettingValues {
  package var drainMilliseconds = 5_000
  package var coreDumps = CoreDumps.auto
  /// The number of loops; 0: one for each core that the process may use.
  package var loops = 1

  /// The most loops: more bring no gain.
  package static let mostLoops = 16

  package init() {}

  package static let blockName = ""
  package static let blockMeaning: [String] = []
  package static let settings: [Setting<Self>] = [
    .integer(
      "drainMs", \.drainMilliseconds, 0...SettingLimit.milliseconds, .milliseconds,
      "How long what still runs is given when the gateway is told to stop."),
    .choice(
      "coreDumps", \.coreDumps,
      "Whether core dumps and debuggers may show its memory; auto: where no setting holds what is secret."
    ).lasting(),
    .integer(
      "loops", \.loops, 0...mostLoops, .none,
      "How many loops serve clients, each on a thread of its own; 0: as many as the process may use cores."
    ).lasting(),
  ]
}
