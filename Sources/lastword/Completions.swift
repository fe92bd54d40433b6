import ArgumentParser
import GatewayCore

/// Completions that the parser cannot know: files by their kind, and likely words.
extension CompletionKind {
  static var configurationFile: CompletionKind { .file(extensions: ["toml"]) }

  /// The default address for clients.
  static var clientAddress: CompletionKind { .words(["127.0.0.1:5278"]) }
  /// The address of the admin pages in the documentation.
  static var adminAddress: CompletionKind { .words(["127.0.0.1:5279"]) }

  /// The gateway's own methods, and those of the built-in demo handler.
  static var method: CompletionKind {
    let own = OwnMethod.names.map { "\($0.name)" }.filter { !$0.hasPrefix("$") }
    return .list(own + ["echo", "search", "sleep", "write"])
  }

  /// As `list`, but with whole words in zsh, which takes the text behind a colon for a description.
  static func words(_ words: [String]) -> CompletionKind {
    guard CompletionShell.requesting == .zsh else { return .list(words) }
    return .list(words.map { $0.split(separator: ":").joined(separator: "\\:") })
  }
}
