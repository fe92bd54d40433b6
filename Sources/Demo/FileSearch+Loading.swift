extension FileSearch {
  /// How long a query that the index cannot help may take on one core: long enough to be overtaken, short
  /// enough for a search box.
  package static let scanMilliseconds = 300

  /// Loads what the bounds let in, but no more than can be scanned in `scanMilliseconds`.
  package static func load(
    _ directory: String, bounds: CorpusBounds = CorpusBounds(), scanMilliseconds: Int = Self.scanMilliseconds
  ) throws(LoadError) -> FileSearch {
    let calibration = CorpusLoader.Calibration(sampleBytes: ScanRate.sampleBytes) { corpus in
      ScanRate(measuredOn: corpus).bytes(inMilliseconds: scanMilliseconds)
    }
    var loader = CorpusLoader(bounds: bounds, calibration: calibration)
    try loader.load(directory)
    return FileSearch(loader.corpus)
  }

  /// What was loaded and what a short query costs on it, as sentences.
  package func summary(of directory: String) -> [String] {
    let files = corpus.files.count
    let text = corpus.textByteCount
    let scan = ScanRate(measuredOn: corpus).milliseconds(forBytes: text)
    var lines = [
      "\(directory): \(files) files, \(Self.size(text)) of text"
        + (corpus.isPartial ? "; there is more, this is what can be scanned in time" : "")
    ]
    if corpus.binaryFiles > 0 { lines.append("\(corpus.binaryFiles) look binary: searched by name only") }
    if corpus.cutFiles > 0 { lines.append("\(corpus.cutFiles) are long: searched in their beginning only") }
    if corpus.unreadable > 0 { lines.append("\(corpus.unreadable) could not be read") }
    lines.append("one or two letters have to read all of it: some \(scan) ms on one core")
    lines.append("three and more go through an index of trigrams")
    return lines
  }

  private static func size(_ byteCount: Int) -> String {
    byteCount < 10_000_000 ? "\(byteCount / 1000) kB" : "\(byteCount / 1_000_000) MB"
  }
}
