import ArgumentParser

struct FleetDrainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "drain", abstract: "Have a member give its keys to the others.",
    discussion: """
      The member gives all that it has to others and gets nothing any more; its clients are served as before. It has to \
      be started anew to have keys again. Any member can be asked for any other, at its admin pages. Exit status: 0 if \
      it has been told to begin, 1 if not.
      """)

  @Argument(
    help: ArgumentHelp(
      "The member: the beginning of its id, or its address, as fleet status shows them; if left out, the one asked."
    ))
  var member: String?

  @OptionGroup var question: FleetQuestion

  func validate() throws {
    guard let member, member.isEmpty || !member.utf8.allSatisfy(Self.isOfName) else { return }
    throw ValidationError("'\(member)' is neither the beginning of a member's id nor its address")
  }

  func run() throws {
    try question.ask("/fleet/drain" + (member.map { "?member=\($0)" } ?? ""), byPost: true)
  }

  /// Whether a byte may be part of an id or an address; none of these needs an escape in a query.
  private static func isOfName(_ byte: UInt8) -> Bool {
    let character = Character(Unicode.Scalar(byte))
    return character.isASCII && (character.isLetter || character.isNumber || ".:-_[]/".contains(character))
  }
}
