import Glibc
import LibUV
import Testing

@Suite struct StandardStreamTests {
  private static func isBlocking(_ descriptor: Int32) -> Bool { fcntl(descriptor, F_GETFL) & O_NONBLOCK == 0 }

  /// The ends of a pipe, which are closed behind this.
  private func withPipe(_ body: (_ read: Int32, _ write: Int32) throws -> Void) throws {
    var ends: [Int32] = [-1, -1]
    #expect(pipe(&ends) == 0)
    defer { for end in ends { close(end) } }
    try body(ends[0], ends[1])
  }

  @Test func `calls on a pipe wait again once it is given back`() throws {
    try withPipe { read, _ in
      let scene = try Scene()
      let input = try StandardStream(read, on: scene.loop)
      #expect(!Self.isBlocking(read))
      input.stream.close()
      input.giveBack()
      #expect(Self.isBlocking(read))
      scene.end()
      scene.run()
    }
  }

  @Test func `calls that did not wait before do not wait afterwards`() throws {
    try withPipe { _, write in
      #expect(fcntl(write, F_SETFL, fcntl(write, F_GETFL) | O_NONBLOCK) == 0)
      let scene = try Scene()
      let output = try StandardStream(write, on: scene.loop)
      output.stream.close()
      output.finish()
      #expect(!Self.isBlocking(write))
      scene.end()
      scene.run()
    }
  }

  @Test func `a file takes all that was written before the stream was closed`() throws {
    var name = Array("/tmp/lastword-XXXXXX".utf8CString)
    let file = mkstemp(&name)
    defer {
      close(file)
      unlink(name)
    }
    let scene = try Scene()
    let output = try StandardStream(file, on: scene.loop)
    #expect(output.stream.write(Array("all of it".utf8)) == 9)
    output.stream.close()
    output.finish()
    #expect(output.failure == nil && lseek(file, 0, SEEK_END) == 9)
    scene.end()
    scene.run()
  }
}
