import Glibc

/// A terminal of a test's own, of which the test is who reads it.
package final class Terminal {
  private let descriptor: Int32
  /// The side that programs have: as long as somebody has it, what was shown can be read.
  private let programs: Int32
  /// The file that programs open.
  package let name: String

  package init() throws {
    var (reading, writing): (Int32, Int32) = (-1, -1)
    var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
    guard RunningProgram.GNU.openpty(&reading, &writing, &bytes) == 0 else {
      throw LineSocket.Failure(description: "no terminal: errno \(errno)")
    }
    (descriptor, programs) = (reading, writing)
    name = bytes.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
  }

  deinit {
    close(programs)
    close(descriptor)
  }

  /// Whether something is shown that was not read yet.
  package var hasNews: Bool {
    var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&request, 1, 0) > 0
  }

  /// As from the keyboard; more than fits at once is an error.
  package func type(_ text: String) throws {
    let bytes = Array(text.utf8)
    guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count else {
      throw LineSocket.Failure(description: "the terminal takes no more: errno \(errno)")
    }
  }

  /// Waits for something to be shown, and gives what is.
  package func read() throws -> String {
    var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&request, 1, Int32(LineSocket.watchdogSeconds * 1000)) > 0 else {
      throw LineSocket.Failure(description: "nothing is shown")
    }
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = Glibc.read(descriptor, &bytes, bytes.count)
    guard count >= 0 else { throw LineSocket.Failure(description: "read: errno \(errno)") }
    return String(decoding: bytes[..<count], as: UTF8.self)
  }
}
