/// How long what takes in a fleet. All of a fleet must have the same; in milliseconds of the clock that goes on while the
/// machine sleeps (`CLOCK_BOOTTIME`).
package struct FleetTimings: Sendable {
  /// Between two beats of a member.
  package var beat: Int64 = 500
  /// So long may a member act behind the sending of a beat that was acknowledged.
  package var acting: Int64 = 3_000
  /// A member whose beat has not changed for so long, by the clock of who watches, is declared dead. More than `acting`:
  /// by then it has stopped by itself.
  package var death: Int64 = 4_000
  /// Who has not looked for so long, or had no beat acknowledged for so long behind the time of the next, knows nothing of
  /// how long others have been silent.
  package var gap: Int64 = 1_000
  /// An answer of the engine that takes longer is not waited for.
  package var answer: Int64 = 1_000
  /// So long behind an attempt of which it is not known what became of it the next is made.
  package var pause: Int64 = 250
  /// So long a partition without an owner is left to the member that is to have it; then anybody takes it.
  package var precedence: Int64 = 1_000
  /// So long it is left to members that others have been linked to; then anybody takes it.
  package var solitude: Int64 = 10_000

  package init() {}
}
