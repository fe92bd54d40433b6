import Demo
import Glibc
import Testing

/// A directory of a test's own with files in it, gone when the test is.
final class FileTree {
  let path: String
  private var made: [String] = []

  init() throws {
    var template = Array("/tmp/lastword-demo-XXXXXX".utf8CString)
    try #require(unsafe mkdtemp(&template) != nil)
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  func add(_ name: String, _ text: String) throws { try add(name, Array(text.utf8)) }

  func add(_ name: String, _ content: [UInt8]) throws {
    var directory = name[...]
    while let slash = directory.firstIndex(of: "/") {
      makeDirectory(String(name[..<slash]))
      directory = directory[directory.index(after: slash)...]
    }
    let descriptor = unsafe open("\(path)/\(name)", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    try #require(unsafe write(descriptor, content, content.count) == content.count)
    made.append(name)
  }

  func addLink(_ name: String, to target: String) throws {
    try #require(unsafe symlink(target, "\(path)/\(name)") == 0)
    made.append(name)
  }

  func addPipe(_ name: String) throws {
    try #require(unsafe mkfifo("\(path)/\(name)", 0o600) == 0)
    made.append(name)
  }

  private func makeDirectory(_ name: String) {
    if unsafe mkdir("\(path)/\(name)", 0o700) == 0 { made.append(name) }
  }

  deinit {
    for name in made.reversed() { unsafe remove("\(path)/\(name)") }
    unsafe rmdir(path)
  }
}
