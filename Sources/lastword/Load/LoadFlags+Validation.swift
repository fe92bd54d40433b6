import Addresses
import ArgumentParser
import LibUV
import LoadTest

/// Checks of the flags, alone and together.
extension LoadFlags {
  private static let secondsRange = 0.001...86_400.0
  private static let keyLimit = 1_000_000
  /// The most connections: one address of a client has not many more ports.
  private static let socketLimit = 20_000
  private static let openBytesLimit = 512 * 1024 * 1024
  private static let durationRange = 0...3_600_000

  func validate() throws {
    try check(connections, "--connections", 1...10_000)
    try check(depth ?? 1, "--depth", 1...10_000)
    try check(keys, "--keys", 1...Self.keyLimit)
    try check(padding ?? 0, "--padding", 0...4_000_000)
    try check(size?.bytes.upperBound ?? 0, "--size", 0...4_000_000)
    try check(pieces, "--pieces", PieceShape.countRange)
    try check(pieceMs, "--piece-ms", PieceShape.millisecondsRange)
    try check(piecePadding, "--piece-padding", PieceShape.paddingRange)
    try check(maxOpen, "--max-open", 1...1_000_000)
    try check(Int(clamping: patienceMs), "--patience-ms", Self.durationRange)
    try check(Int(clamping: cancelAfterMs ?? 0), "--cancel-after-ms", Self.durationRange)
    guard Self.secondsRange.contains(seconds) else {
      throw ValidationError("--seconds must be 0.001 to 86400")
    }
    guard (0...3_600).contains(warmUp) else { throw ValidationError("--warm-up must be 0 to 3600") }
    guard (0...1).contains(cancels) else { throw ValidationError("--cancels must be 0 to 1") }
    guard (0...1_000).contains(disconnects) else {
      throw ValidationError("--disconnects must be 0 to 1000")
    }
    try validateTogether()
  }

  private func check(_ value: Int, _ name: String, _ range: ClosedRange<Int>) throws {
    guard range.contains(value) else {
      throw ValidationError("\(name) must be \(range.lowerBound) to \(range.upperBound)")
    }
  }

  private func validateTogether() throws {
    try tls.check(to)
    guard connections * keys <= Self.keyLimit else {
      throw ValidationError("--connections times --keys must be at most \(Self.keyLimit)")
    }
    guard openLimit * options(to: .unix(path: "-")).workload.mostBytes <= Self.openBytesLimit else {
      throw ValidationError(
        "so many open requests of that size need more than 512 MiB: take fewer or smaller")
    }
    try validateTransport()
    guard !(policy != nil && policies != nil) else {
      throw ValidationError("--policy and --policies exclude each other")
    }
    guard !(noKeys && (policy != nil || policies != nil || sharedKeys)) else {
      throw ValidationError("without keys there is no policy, and nothing is shared")
    }
    if cancels == 0 && cancelAfterMs != nil { throw ValidationError("--cancel-after-ms needs --cancels") }
    if pieces == 0 && (pieceMs > 0 || piecePadding > 0) {
      throw ValidationError("--piece-ms and --piece-padding need --pieces")
    }
    if pieces > 0 && anyAnswer {
      throw ValidationError("--pieces are counted, which --any-answer does without: leave one out")
    }
    try validatePace()
    if behaviour != nil && to != nil {
      throw ValidationError("--behaviour is that of an upstream of its own, which --to does without")
    }
    if token.tokenFile != nil && to == nil {
      throw ValidationError("a gateway of its own asks nobody who they are: --token-file needs --to")
    }
    if !member.isEmpty && to == nil { throw ValidationError("--member needs --to") }
    if upstreamAt != nil && to == nil { throw ValidationError("--upstream-at needs --to") }
    if direct && to != nil && upstreamAt == nil { throw ValidationError("--direct needs --upstream-at") }
  }

  private func validateTransport() throws {
    let options = options(to: .unix(path: "-"))
    guard member.isEmpty || !transport.mayPost else {
      throw ValidationError("a POST stays with its session's gateway: choose lines or ws with --member")
    }
    guard pieces == 0 || transport != .all(.http) && transport != .mix else {
      throw ValidationError("a POST without events takes no pieces: choose lines, ws or sse with --pieces")
    }
    guard !transport.mayPost || connections * options.connectionsOfPosts <= Self.socketLimit else {
      throw ValidationError(
        "each open POST has a connection of its own, and \(connections) clients with "
          + "\(options.connectionsOfPosts) each have more than \(Self.socketLimit): take fewer")
    }
  }

  private func validatePace() throws {
    if depth != nil && (rate != nil || workload == .typing) {
      throw ValidationError("--depth waits for answers, a schedule does not: choose one")
    }
    if rate != nil && workload == .typing {
      throw ValidationError("people type at their own pace: leave --rate out, and choose how many by --keys")
    }
    if workload == .typing && noKeys { throw ValidationError("typing needs keys") }
    if direct && rate == nil && workload != .typing && requests == 0 {
      throw ValidationError(
        "--direct compares the same requests: give --rate, --workload typing or --requests")
    }
  }

  private var openLimit: Int {
    rate == nil && workload != .typing ? connections * (depth ?? Self.usualDepth) : maxOpen
  }
}

extension Workload {
  /// The longest request, in bytes, without the parts that all requests have.
  fileprivate var mostBytes: Int { max(paddingBytes, sizeBytes.upperBound) }
}
