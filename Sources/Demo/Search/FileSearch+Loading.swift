extension FileSearch {
  /// How long a query that the index cannot help may take on one core: long enough to be overtaken, short
  /// enough for a search box.
  package static let scanMilliseconds = 300

  /// Loads the files within the bounds, but no more than can be scanned in `scanMilliseconds`.
  /// - Parameter fillsTime: whether a smaller corpus is scanned again and again, until so much time is over.
  package static func load(
    _ directory: String, bounds: CorpusBounds = CorpusBounds(), scanMilliseconds: Int = Self.scanMilliseconds,
    fillsTime: Bool = false
  ) throws(LoadError) -> FileSearch {
    let calibration = CorpusLoader.Calibration(sampleBytes: ScanRate.sampleBytes) { corpus in
      ScanRate(measuredOn: corpus).bytes(inMilliseconds: scanMilliseconds)
    }
    var loader = CorpusLoader(bounds: bounds, calibration: calibration)
    try loader.load(directory)
    let search = FileSearch(loader.corpus)
    guard fillsTime else { return search }
    return search.reading(bytes: ScanRate(measuredOn: loader.corpus).bytes(inMilliseconds: scanMilliseconds))
  }

  /// The loaded corpus, and the cost of a short query on it, as sentences.
  package func summary(of directory: String) -> [String] {
    let files = corpus.files.count
    let text = corpus.textByteCount
    let scan = ScanRate(measuredOn: corpus).milliseconds(forBytes: readByteCount * rounds)
    var lines = [
      "\(directory): \(files) files, \(Self.size(text)) of text"
        + (corpus.isPartial ? "; there is more, this is what can be scanned in time" : "")
    ]
    if corpus.binaryFiles > 0 { lines.append("\(corpus.binaryFiles) look binary: searched by name only") }
    if corpus.cutFiles > 0 { lines.append("\(corpus.cutFiles) are long: searched in their beginning only") }
    if corpus.unreadable > 0 { lines.append("\(corpus.unreadable) could not be read") }
    let all = rounds == 1 ? "all of it" : "all of it, \(rounds) times because it is little"
    lines.append("one or two letters have to read \(all): some \(scan) ms on one core")
    lines.append("three and more go through an index of trigrams")
    return lines
  }

  private static func size(_ byteCount: Int) -> String {
    byteCount < 10_000_000 ? "\(byteCount / 1000) kB" : "\(byteCount / 1_000_000) MB"
  }
}
