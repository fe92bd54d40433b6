import Glibc

/// A file that the kernel writes while it is read, a part at a time; Foundation takes the first part for all of it.
enum KernelFile {
  static func contents(_ path: String) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var contents: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(descriptor, &part, part.count)
      guard count > 0 else { return count == 0 ? contents : nil }
      contents += part[..<count]
    }
  }
}
