import ArgumentParser

/// The command `lastword`.
struct Lastword: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lastword",
    abstract: "A JSON-RPC gateway in which the latest request has the last word.",
    version: "0.1.0",
    subcommands: [
      ServeCommand.self, WrapCommand.self, CallCommand.self, LoadCommand.self, DemoCommand.self,
      SimulateCommand.self,
      ConfigCommand.self, HealthCommand.self,
    ])
}
