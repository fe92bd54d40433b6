import Glibc

/// One name in a directory and what kind of thing it names.
struct DirectoryEntry {
  enum Kind { case file, directory, other }

  let name: [CChar]
  let kind: Kind

  /// The entries in the order of their names' bytes, `.` and `..` left out; nil if they cannot be read.
  /// Takes the descriptor over.
  static func all(in descriptor: Int32) -> [DirectoryEntry]? {
    guard let stream = unsafe fdopendir(descriptor) else {
      close(descriptor)
      return nil
    }
    defer { unsafe closedir(stream) }
    var entries: [DirectoryEntry] = []
    while let entry = unsafe readdir(stream) {
      let name = unsafe Self.name(of: entry)
      guard name != [46, 0], name != [46, 46, 0] else { continue }
      entries.append(DirectoryEntry(name: name, kind: kind(of: name, in: descriptor)))
    }
    return entries.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
  }

  /// The name without the zero at its end.
  var bytes: [UInt8] { name.dropLast().map { UInt8(bitPattern: $0) } }

  /// The entry is what `readdir` just returned; only as many of its bytes as the name has need exist.
  @unsafe private static func name(of entry: UnsafeMutablePointer<dirent>) -> [CChar] {
    let offset = MemoryLayout<dirent>.offset(of: \.d_name)!
    let start = unsafe (UnsafeRawPointer(entry) + offset).assumingMemoryBound(to: CChar.self)
    return unsafe Array(UnsafeBufferPointer(start: start, count: strlen(start) + 1))
  }

  private static func kind(of name: [CChar], in descriptor: Int32) -> Kind {
    var status = stat()
    guard unsafe fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return .other }
    switch status.st_mode & S_IFMT {
    case S_IFREG: return .file
    case S_IFDIR: return .directory
    default: return .other
    }
  }
}
