import Addresses
import LibUV

/// An upstream on the loop of a test that answers each request as soon as it comes.
final class EchoUpstream: ByteStreamDelegate {
  private var listener: Listener?
  private var streams: [ByteStream] = []
  private var unfinished: [UInt8] = []

  init(on loop: EventLoop) throws {
    listener = try Listener(on: loop, address: .tcp(host: "127.0.0.1", port: 0)) { [unowned self] stream in
      streams.append(stream)
      stream.delegate = self
      stream.startReading()
    }
  }

  var address: SocketAddress { listener!.address }

  func close() {
    listener?.close()
    for stream in streams { stream.close() }
  }

  func stream(_ stream: ByteStream, received bytes: Span<UInt8>, count: Int) {
    for index in 0..<count { unfinished.append(bytes[index]) }
    guard let end = unfinished.lastIndex(of: 0x0a) else { return }
    var answers: [UInt8] = []
    for line in unfinished[...end].split(separator: 0x0a) {
      guard let id = String(decoding: line, as: UTF8.self).firstMatch(of: /"id":(\d+)/)?.1 else { continue }
      answers.append(contentsOf: "{\"jsonrpc\":\"2.0\",\"id\":\(id),\"result\":{}}\n".utf8)
    }
    unfinished.removeSubrange(...end)
    _ = stream.write(answers)
  }

  func streamEnded(_ stream: ByteStream) { stream.close() }
  func stream(_ stream: ByteStream, failed error: UVError) { stream.close() }
  func streamBecameWritable(_ stream: ByteStream) {}
}
