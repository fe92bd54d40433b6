import ArgumentParser
import Configuration

/// Guesses the meaning of an unknown word on the command line.
enum Hint {
  private static let subcommands = Lastword.configuration.subcommands.compactMap {
    $0.configuration.commandName
  }
  private static let places = ["--port", "--host", "--address"]
  private static let connecting = "--to PORT connects to 127.0.0.1, --to HOST:PORT to another machine"
  /// Where the address stands, for commands that neither listen nor connect as others do.
  private static let placesOf = [
    "health": "--admin HOST:PORT asks the admin pages, --address HOST:PORT pings where clients connect",
    "fleet": "--admin HOST:PORT names the admin pages of a member",
    "call": connecting, "load": connecting,
    "demo": "--listen HOST:PORT listens",
  ]
  private static let options: [(name: String, hint: String)] = [
    (
      "--port",
      "--listen PORT listens on 127.0.0.1, --listen 0.0.0.0:PORT --audience network for others, too; --to PORT connects"
    ),
    ("--host", "--listen HOST:PORT listens, --to HOST:PORT connects"),
    ("--address", "--listen HOST:PORT listens, --to HOST:PORT connects"),
    ("--policy", "a policy belongs to a request (task.policy), or to a route of the configuration file"),
    ("--key", "a key belongs to a request (task.key), or to a route of the configuration file"),
    ("--route", "routes belong in a configuration file: lastword config example shows some"),
    ("--metrics", "--admin HOST:PORT has the metrics, at /metrics"),
  ]

  /// - Parameter message: the message of the command line's parser.
  /// - Parameter command: the subcommand that was given.
  static func text(for message: String, of command: String?) -> String? {
    if let option = word(behind: "Unknown option '", in: message) {
      if places.contains(option), let hint = command.flatMap({ placesOf[$0] }) { return hint }
      return options.first { $0.name == option }?.hint
    }
    guard let word = word(behind: "Unexpected argument '", in: message) else { return nil }
    return subcommand(for: word).map { "did you mean 'lastword \($0)'?" }
  }

  private static func word(behind start: String, in message: String) -> String? {
    guard let found = message.firstRange(of: start) else { return nil }
    return message[found.upperBound...].split(separator: "'", maxSplits: 1).first.map(String.init)
  }

  private static func subcommand(for word: String) -> String? {
    NearestName.suggestion(for: word, among: subcommands)
  }
}
