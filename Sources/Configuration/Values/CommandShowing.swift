/// Decides which parts of a command line are likely to be secret, by the names before them and by their form.
struct CommandShowing {
  /// What the word before says about the next one.
  private enum Next { case anything, secret, header, user }

  private static let hidden = "…"
  private static let secretNames = [
    "auth", "bearer", "cookie", "credential", "jwt", "key", "pass", "pwd", "secret", "session", "token",
  ]
  /// The schemes of the header field `Authorization`, which stand before the secret.
  private static let schemes = ["basic", "bearer", "digest", "token"]

  private var next = Next.anything

  /// The words with secrets replaced, one for each.
  static func shown(_ words: [String]) -> [String] {
    var showing = CommandShowing()
    return words.map { showing.shown($0) }
  }

  private mutating func shown(_ word: String) -> String {
    let known = next
    next = .anything
    switch known {
    case .secret where !Self.isOption(word):
      if Self.schemes.contains(word.lowercased()) { next = .secret }
      return Self.hidden
    case .header where !Self.isOption(word): return Self.header(word)
    case .user where !Self.isOption(word): return Self.user(word)
    default: break
    }
    if word.unicodeScalars.contains(where: CommandWords.isSeparator) { return Self.line(word) }
    next = Self.announced(by: word)
    return Self.part(word[...])
  }

  /// Whether a word is an option. A value may begin with one dash, too.
  private static func isOption(_ word: String) -> Bool {
    word.hasPrefix("--") || word.hasPrefix("-") && word.utf8.count <= 2
  }

  private static func announced(by word: String) -> Next {
    if word == "-H" { return .header }
    if word == "-u" { return .user }
    if word.lowercased().hasSuffix("bearer") || word.last == ":" && namesSecret(word) { return .secret }
    guard word.hasPrefix("-"), !word.contains("=") else { return .anything }
    if namesSecret(word) { return .secret }
    if namesHeader(word) { return .header }
    return word.lowercased().hasSuffix("user") ? .user : .anything
  }

  private static func namesHeader(_ option: some StringProtocol) -> Bool {
    let name = option.lowercased()
    return name.hasSuffix("header") || name.hasSuffix("headers")
  }

  private static func namesSecret(_ name: some StringProtocol) -> Bool {
    let name = name.lowercased()
    return secretNames.contains { name.contains($0) }
  }

  /// A word with separators may be a command itself; what cannot be read is not shown. As words it has fewer characters,
  /// for the separators are gone, or else the quotes around them: so this ends.
  private static func line(_ word: String) -> String {
    if let header = attachedHeader(word[...]) { return header }
    guard let inner = try? CommandWords(parsing: word).words else { return hidden }
    let shown = shown(inner)
    return shown == inner ? word : shown.joined(separator: " ")
  }

  /// Header fields in one word: `-HName: value` and `--header=Name: value`.
  private static func attachedHeader(_ word: Substring) -> String? {
    if word.hasPrefix("-H"), word.contains(":") { return header(word) }
    guard word.hasPrefix("-"), let end = word.firstIndex(of: "="), namesHeader(word[..<end]) else {
      return nil
    }
    return String(word[...end]) + header(word[word.index(after: end)...])
  }

  private static func header(_ text: some StringProtocol) -> String {
    guard let end = text.firstIndex(of: ":") else { return hidden }
    return String(text[...end]) + hidden
  }

  /// A user's name; a password behind it is hidden.
  private static func user(_ text: some StringProtocol) -> String {
    guard let end = text.firstIndex(of: ":") else { return String(text) }
    return String(text[...end]) + hidden
  }

  /// A word without separators: names and values in it, and URLs.
  private static func part(_ text: Substring) -> String {
    if let header = attachedHeader(text) { return header }
    guard let end = text.firstIndex(where: { "=:".contains($0) }) else { return String(text) }
    let (name, rest) = (String(text[...end]), text[text.index(after: end)...])
    if text[end] == ":" {
      if rest.hasPrefix("//") { return name + "//" + address(rest.dropFirst(2)) }
      // The user and password of an address.
      if rest.contains("@") { return name + address(rest) }
    }
    let isPath = text[end] == ":" && name.contains("/")
    if namesSecret(name), !isPath { return rest.isEmpty ? name : name + hidden }
    if name.hasPrefix("-"), name.dropLast().lowercased().hasSuffix("user") { return name + user(rest) }
    return name + part(rest)
  }

  /// The part of a URL behind `//`, without user, password, query and fragment.
  private static func address(_ text: Substring) -> String {
    let user = text.lastIndex(of: "@").map { text[...$0] } ?? text[..<text.startIndex]
    let rest = text[user.endIndex...]
    let place = rest.prefix { $0 != "?" && $0 != "#" }
    let query = place.endIndex < rest.endIndex ? "?" + hidden : ""
    return (user.isEmpty ? "" : hidden + "@") + part(place) + query
  }
}
