import Glibc
import Testing

@testable import LibUV

@Suite struct DescriptorTests {
  @Test func `what is written to the descriptor beside a stream the stream reads, and the other way round`()
    throws
  {
    let scene = try Scene()
    let (stream, descriptor) = try ByteStream.half(on: scene.loop)
    let recorder = scene.hear(stream)
    recorder.onReceived = { if recorder.text == "hello" { close(descriptor) } }
    recorder.onEnded = { scene.end() }
    #expect(stream.write(Array("answer".utf8)) == 6)
    #expect(Glibc.write(descriptor, "hello", 5) == 5)
    var answer = [UInt8](repeating: 0, count: 6)
    #expect(read(descriptor, &answer, answer.count) == 6 && answer == Array("answer".utf8))
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
