/// How fast this machine, in this build, reads text without an index.
struct ScanRate: Hashable, Sendable {
  /// Bytes enough to be measured well, few enough to be read in passing.
  static let sampleBytes = 4 << 20

  let bytesPerMillisecond: Int

  /// Measured on the corpus' first files, with a query like any.
  init(measuredOn corpus: Corpus) {
    let scan = TextScan(Query("r")!)
    let clock = WorkClock()
    var readBytes = 0
    for file in corpus.files where readBytes < Self.sampleBytes {
      _ = scan.read(file.text, of: corpus.bytes)
      readBytes += file.text.count
    }
    let microseconds = max(1, Int(clock.elapsedNanoseconds / 1000))
    bytesPerMillisecond = max(1, readBytes * 1000 / microseconds)
  }

  func milliseconds(forBytes count: Int) -> Int { count / bytesPerMillisecond }
  func bytes(inMilliseconds milliseconds: Int) -> Int { bytesPerMillisecond * milliseconds }
}
