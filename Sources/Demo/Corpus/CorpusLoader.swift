import Glibc

/// Fills a corpus from a directory tree: in the order of the names' bytes, as far as the bounds go.
struct CorpusLoader {
  private(set) var corpus = Corpus()
  private var bounds: CorpusBounds
  /// Asked once, when the corpus has reached that size: how many bytes it may hold in all.
  private let calibration: Calibration?
  private var isCalibrated = false
  private var buffer: [UInt8] = []

  struct Calibration {
    var sampleBytes: Int
    var totalBytes: (Corpus) -> Int
  }

  init(bounds: CorpusBounds, calibration: Calibration? = nil) {
    self.bounds = bounds
    self.calibration = calibration
    buffer = Array(repeating: 0, count: bounds.fileBytes + 1)
  }

  /// - Throws: `LoadError` if the directory itself cannot be read.
  mutating func load(_ directory: String) throws(LoadError) {
    let descriptor = unsafe open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0, let entries = DirectoryEntry.all(in: dup(descriptor)) else {
      throw LoadError(directory: directory, code: errno)
    }
    visit(entries, of: descriptor, path: [], depth: 0)
    close(descriptor)
  }

  private var isFull: Bool {
    corpus.files.count >= bounds.files || corpus.byteCount >= bounds.totalBytes
  }

  private mutating func visit(_ entries: [DirectoryEntry], of descriptor: Int32, path: [UInt8], depth: Int) {
    for entry in entries {
      guard !isFull else { return corpus.isPartial = true }
      switch entry.kind {
      case .file: addFile(entry, in: descriptor, path: path + entry.bytes)
      case .directory: enter(entry, in: descriptor, path: path + entry.bytes, depth: depth + 1)
      case .other: break
      }
    }
  }

  private mutating func enter(_ entry: DirectoryEntry, in parent: Int32, path: [UInt8], depth: Int) {
    guard depth <= bounds.depth else { return corpus.isPartial = true }
    let descriptor = unsafe openat(parent, entry.name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { return corpus.unreadable += 1 }
    defer { close(descriptor) }
    guard let entries = DirectoryEntry.all(in: dup(descriptor)) else { return corpus.unreadable += 1 }
    visit(entries, of: descriptor, path: path + [UInt8(ascii: "/")], depth: depth)
  }

  private mutating func addFile(_ entry: DirectoryEntry, in parent: Int32, path: [UInt8]) {
    // Without O_NONBLOCK a pipe that has just taken the file's place would hold us up.
    let descriptor = unsafe openat(parent, entry.name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { return corpus.unreadable += 1 }
    defer { close(descriptor) }
    guard let count = fill(from: descriptor) else { return corpus.unreadable += 1 }
    let room = max(0, bounds.totalBytes - corpus.byteCount)
    let kept = min(count, bounds.fileBytes, room)
    corpus.append(path: path, content: Array(buffer[..<kept]), isCut: kept < count)
    calibrate()
  }

  /// Reads up to one byte more than is kept, to know whether the file goes on; nil if it cannot be read.
  private mutating func fill(from descriptor: Int32) -> Int? {
    var count = 0
    while count < buffer.count {
      let result = unsafe buffer.withUnsafeMutableBytes {
        unsafe read(descriptor, $0.baseAddress! + count, $0.count - count)
      }
      guard result != 0 else { return count }
      guard result > 0 || errno == EINTR else { return nil }
      count += max(0, result)
    }
    return count
  }

  private mutating func calibrate() {
    guard !isCalibrated, let calibration, corpus.byteCount >= calibration.sampleBytes else { return }
    isCalibrated = true
    bounds.totalBytes = min(bounds.totalBytes, calibration.totalBytes(corpus))
  }
}
