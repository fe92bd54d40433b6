import Foundation
import TestSupport
import Testing

extension RealServerTests {
  /// Our reader of HTTP requests beside h11's and Node's: what it takes, each of them takes, as the same requests.
  ///
  /// LASTWORD_READER_STREAMS says how many streams are read, LASTWORD_READER_SEED with which seed the first is made; a
  /// failure names its own.
  @Suite struct RequestReadersTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let streams = environment["LASTWORD_READER_STREAMS"].flatMap(UInt64.init) ?? 6_000
    private static let firstSeed = environment["LASTWORD_READER_SEED"].flatMap(UInt64.init) ?? 1
    private static let shownFailures = 20

    private func reader(_ name: String) throws -> RunningProgram {
      let words = name.hasSuffix(".py") ? [RealServers.python!] : ["node", "--no-warnings"]
      return try RunningProgram("/usr/bin/env", words + [RealServers.ours(name)], takesInput: true)
    }

    @Test(arguments: ["h11_reader.py", "node_reader.cjs"])
    func `what we read, others read, and as the same`(name: String) throws {
      let other = try reader(name)
      var (taken, refused, failures) = (0, 0, 0)
      for seed in Self.firstSeed..<(Self.firstSeed + Self.streams) where failures < Self.shownFailures {
        var maker = RequestMaker(seed: seed)
        let stream = maker.stream()
        try other.send(stream.map { String(format: "%02x", $0) }.joined() + "\n")
        let theirs = try ReadRequests(line: #require(other.outputLine()))
        for pieceBytes in [stream.count, 1 + Int(seed % 7)] {
          let ours = ReadRequests(stream, pieceBytes: pieceBytes)
          if let difference = AllowedDifferences.difference(ours, theirs, stream, name) {
            failures += 1
            let shown = String(decoding: stream, as: UTF8.self).debugDescription
            Issue.record("seed \(seed): \(difference)\n\(shown)\n\(ours)\n\(theirs)")
          }
          if pieceBytes == stream.count { if ours.fault == nil { taken += 1 } else { refused += 1 } }
        }
      }
      // Streams of both kinds are among them, and not few.
      #expect(
        taken > Int(Self.streams) / 5 && refused > Int(Self.streams) / 5, "\(taken) taken, \(refused) refused"
      )
    }
  }
}
