import Addresses
import LibUV
import TestSupport
import Testing
import Upstreams

@testable import Gateway

/// How a watch goes on that has nothing to tell, or that cannot be followed any more.
@Suite struct EtcdClientTests {
  /// An etcd that has no records, and watches that tell what the test has them tell.
  private final class Etcd: ByteStreamDelegate {
    private var listener: Listener?
    private var streams: [ByteStream] = []
    private var input: [ObjectIdentifier: String] = [:]
    private(set) var readCount = 0
    private(set) var watches: [ByteStream] = []
    private static let header = #""header":{"cluster_id":"7","revision":"5"}"#
    static let nothing = #"{"result":{\#(header)}}"# + "\n"
    static let cancelled = #"{"result":{\#(header),"canceled":true}}"# + "\n"

    init(on loop: EventLoop) throws {
      listener = try Listener(on: loop, address: .tcp(host: "127.0.0.1", port: 0)) { [unowned self] in
        streams.append($0)
        $0.delegate = self
        $0.startReading()
      }
    }

    var url: String { "http://\(listener?.address.description ?? "")" }

    func close() {
      listener?.close()
      for stream in streams { stream.close() }
      streams = []
    }

    static func tell(_ text: String, over watch: ByteStream) {
      _ = watch.write(Array("\(String(text.utf8.count, radix: 16))\r\n\(text)\r\n".utf8))
    }

    func stream(_ stream: ByteStream, received bytes: Span<UInt8>, count: Int) {
      var text = input[ObjectIdentifier(stream)] ?? ""
      for index in 0..<count { text.unicodeScalars.append(Unicode.Scalar(bytes[index])) }
      input[ObjectIdentifier(stream)] = text
      guard let length = text.firstMatch(of: /Content-Length: (\d+)/).flatMap({ Int($0.1) }),
        let end = text.firstRange(of: "\r\n\r\n"), text[end.upperBound...].utf8.count >= length
      else { return }
      input[ObjectIdentifier(stream)] = nil
      if text.hasPrefix("POST /v3/watch") {
        watches.append(stream)
        _ = stream.write(Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".utf8))
        Self.tell(Self.nothing, over: stream)
      } else {
        readCount += 1
        let body = "{\(Self.header)}"
        _ = stream.write(Array("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)".utf8))
      }
    }

    func streamEnded(_ stream: ByteStream) { forget(stream) }
    func stream(_ stream: ByteStream, failed error: UVError) { forget(stream) }
    func streamBecameWritable(_ stream: ByteStream) {}

    private func forget(_ stream: ByteStream) {
      streams.removeAll { $0 === stream }
      stream.close()
    }
  }

  private let scene: LoopScene
  private let etcd: Etcd
  private let pipe = LogPipe()

  init() throws {
    scene = try LoopScene()
    etcd = try Etcd(on: scene.loop)
  }

  private func client() -> EtcdClient {
    let options = FleetOptions(
      name: "f", engine: [HTTPEndpoint(url: etcd.url, connections: 4)],
      listen: .tcp(host: "127.0.0.1", port: 0), secret: [])
    return EtcdClient(options, on: scene.loop, log: pipe.log)
  }

  @Test func `a watch that has nothing to tell is begun anew, and nobody is warned`() {
    let asking = client()
    scene.until { [etcd] in etcd.watches.count == 2 }
    #expect(etcd.readCount == 2)
    #expect(String(decoding: pipe.bytes(), as: UTF8.self) == "")
    asking.close()
    etcd.close()
    scene.end()
  }

  @Test func `behind what cannot be followed all is read again, though the watch goes on speaking`() {
    let asking = client()
    scene.until { [etcd] in etcd.watches.count == 1 }
    let watch = etcd.watches[0]
    Etcd.tell(Etcd.cancelled, over: watch)
    var timer: LoopTimer?
    timer = LoopTimer(on: scene.loop) { [etcd] in
      guard etcd.watches.count == 1 else { return }
      Etcd.tell(Etcd.nothing, over: watch)
      timer?.start(afterMilliseconds: 20)
    }
    timer?.start(afterMilliseconds: 20)
    scene.until { [etcd] in etcd.watches.count == 2 }
    #expect(etcd.readCount == 2)
    timer?.close()
    asking.close()
    etcd.close()
    scene.end()
  }
}
