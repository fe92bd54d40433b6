import Addresses
import Glibc
import LibUV

/// A directory of a test's own, gone with this object.
final class TemporaryDirectory {
  let path: String

  init() throws {
    var template = Array("/tmp/lastword-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw UVError(code: -errno) }
    path = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
  }

  deinit {
    for name in ["a", "b"] { unlink("\(path)/\(name)") }
    rmdir(path)
  }

  func socket(_ name: String = "a") -> SocketAddress { .unix(path: "\(path)/\(name)") }

  func exists(_ name: String = "a") -> Bool { access("\(path)/\(name)", F_OK) == 0 }
}
