import LibUV

/// Writes down what a stream's delegate hears, and passes it on to the test.
final class Recorder: ByteStreamDelegate {
  let stream: ByteStream
  private(set) var received: [UInt8] = []
  private(set) var reads: [Int] = []
  private(set) var ends = 0
  private(set) var failures: [UVError] = []
  private(set) var timesWritable = 0

  var onReceived: () -> Void = {}
  var onEnded: () -> Void = {}
  var onFailed: () -> Void = {}
  var onWritable: () -> Void = {}
  var keepsBytes = true

  init(_ stream: ByteStream) { self.stream = stream }

  var text: String { String(decoding: received, as: UTF8.self) }

  func stream(_ stream: ByteStream, received bytes: Span<UInt8>, count: Int) {
    precondition(bytes.count == count + EventLoop.slackByteCount)
    reads.append(count)
    if keepsBytes { bytes.withUnsafeBufferPointer { received.append(contentsOf: $0.prefix(count)) } }
    onReceived()
  }

  func streamEnded(_ stream: ByteStream) {
    ends += 1
    onEnded()
  }

  func stream(_ stream: ByteStream, failed error: UVError) {
    failures.append(error)
    onFailed()
  }

  func streamBecameWritable(_ stream: ByteStream) {
    timesWritable += 1
    onWritable()
  }
}
