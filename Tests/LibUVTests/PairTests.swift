import Glibc
import LibUV
import Testing

@Suite struct PairTests {
  @Test func `what one end of a pair writes the other reads`() throws {
    let scene = try Scene()
    let (one, other) = try ByteStream.pair(on: scene.loop)
    let recorder = Recorder(other)
    other.delegate = recorder
    recorder.onReceived = { if recorder.text == "hello" { one.close() } }
    recorder.onEnded = {
      other.close()
      recorder.forgetActions()
      scene.end()
    }
    other.startReading()
    #expect(one.write(Array("hello".utf8)) == 5)
    scene.run()
    #expect(recorder.text == "hello" && recorder.ends == 1)
  }

  @Test(arguments: ["/dev/null", "/proc/self/status"])
  func `what cannot be waited for is no stream`(path: String) throws {
    let scene = try Scene()
    let descriptor = open(path, O_RDONLY)
    defer { close(descriptor) }
    #expect(throws: UVError.self) { try ByteStream.standard(descriptor, on: scene.loop) }
    scene.end()
    scene.run()
  }
}
