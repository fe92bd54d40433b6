package import Histogram

/// The measurements of one load run: plain numbers, from which every report is made.
package struct LoadMeasurement: Sendable {
  /// The run's settings, each with its name and value, in the order of a report.
  package var settings: [Setting] = []
  package var seed: UInt64 = 0
  /// When the run began, in seconds since 1970.
  package var startedSeconds: UInt64 = 0
  /// From the first intended send of the measured part to the last reply.
  package var elapsedNanoseconds: UInt64 = 0

  /// How many requests the schedule intended, after the warm-up.
  package var intended: UInt64 = 0
  package var sent: UInt64 = 0
  /// Requests that were due but could not be sent before the end: the client's own fault, except those that were held
  /// back.
  package var unsent: UInt64 = 0
  /// Requests that were sent late, or not at all, because as many as allowed were open: the answers' fault.
  package var heldBack: UInt64 = 0
  package var results: UInt64 = 0
  package var superseded: UInt64 = 0
  /// Requests that this client cancelled, and that were answered so.
  package var cancelled: UInt64 = 0
  /// Other errors, by code.
  package var errors: [Int: UInt64] = [:]
  /// Requests that were open when this client itself ended their connection.
  package var abandoned: UInt64 = 0
  /// Pieces of answers.
  package var pieces: UInt64 = 0
  /// Results, and pieces of them, that came after a newer request had superseded theirs: each is a violation, too.
  package var stale: UInt64 = 0

  /// Of results, from the intended send time to the reply: the time in which the client was late counts, too (no
  /// coordinated omission).
  package var latency = Self.histogram()
  /// Of results, from the real send to the reply.
  package var service = Self.histogram()
  /// Of superseded requests, from the intended send time to their reply.
  package var supersededAfter = Self.histogram()
  /// From the sending of a key's newest request to its answer: how old the content of a screen is.
  package var staleness = Self.histogram()
  /// From the time at which a request was not wanted any more to the time at which upstream heard its cancel. A request
  /// is not wanted any more once the request that supersedes it, or the client's own cancel, was sent; with `onAnswer`,
  /// once upstream gave the answer that supersedes it.
  package var cancelLatency = Self.histogram()
  /// From the intended send time of a request to the first piece of its answer, and from each piece to the next.
  package var firstPiece = Self.histogram()
  package var pieceGap = Self.histogram()
  /// How much later than scheduled this client sent.
  package var lag = Self.histogram()

  /// The bundled upstream's work; nil with another upstream.
  package var upstream: UpstreamWork?
  /// Its work for the same schedule without a gateway; nil: that was not measured.
  package var direct: UpstreamWork?
  /// Stale results of that run without a gateway; nil: it was not measured.
  package var directStale: UInt64?

  /// Equal parts of the run, in order.
  package var intervals: [LoadInterval] = []
  /// The first violations, with what led to each.
  package var violations: [LoadViolation] = []
  package var violationCount: UInt64 = 0
  /// Why the run failed: a connection was lost or could not be opened; nil: it did not fail.
  package var failure: String?

  package struct Setting: Hashable, Sendable {
    package var name: String
    package var value: String

    package init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  /// The work of an upstream in a run.
  package struct UpstreamWork: Hashable, Sendable {
    package var requests: UInt64 = 0
    /// Requests that it worked on to the end.
    package var computed: UInt64 = 0
    package var cancelled: UInt64 = 0
    /// Requests that it refused by their fences.
    package var fenced: UInt64 = 0
    /// The time that it worked, summed over its requests.
    package var busyNanoseconds: UInt64 = 0

    package init() {}
  }

  package init() {}

  package var replies: UInt64 { results + superseded + cancelled + errorCount }
  package var errorCount: UInt64 { errors.values.reduce(0, +) }
  package var perSecond: Double { Double(replies) * 1e9 / Double(max(1, elapsedNanoseconds)) }

  /// A histogram of nanoseconds up to an hour, precise to three digits.
  static func histogram() -> Histogram<UInt64> { Histogram(highestTrackableValue: 3_600_000_000_000) }
}

/// Something that must not happen, and what led to it.
package struct LoadViolation: Hashable, Sendable {
  package var connection: Int
  package var description: String
  /// The last events of that key or connection, oldest first.
  package var trace: [String]

  package init(connection: Int, description: String, trace: [String]) {
    self.connection = connection
    self.description = description
    self.trace = trace
  }
}
