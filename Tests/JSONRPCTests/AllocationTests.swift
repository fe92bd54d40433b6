import Glibc
import JSONRPC
import Testing

@Suite struct AllocationTests {
  @Test func `a request that lies whole in the chunk is framed and scanned with no memory left`() async {
    await #expect(processExitsWith: .success) {
      let chunk = WireText(String(repeating: AllocationTests.request + "\n", count: 100))
      var framer = LineFramer(limitBytes: 200)
      // Once with memory, for what the runtime sets up at the first use of a type.
      let requests = AllocationTests.keyedRequests(in: chunk, &framer)
      ExhaustedMemory.begin()
      let again = AllocationTests.keyedRequests(in: chunk, &framer)
      _exit(requests == 100 && again == 100 ? 0 : 1)
    }
  }

  @Test func `a batch in a body that spans chunks is framed and read with no memory left`() async {
    await #expect(processExitsWith: .success) {
      let chunk = Array(AllocationTests.batchFrame.utf8)
      var framer = MessageFramer(limitBytes: 1000)
      guard let pointer = try? JSONPointer("/a~1b/1") else { _exit(2) }
      // Once with memory: the framer keeps the buffer it gets then.
      let items = AllocationTests.routedItems(in: chunk, &framer, pointer)
      ExhaustedMemory.begin()
      let again = AllocationTests.routedItems(in: chunk, &framer, pointer)
      _exit(items == 2 && again == 2 ? 0 : 1)
    }
  }

  @Test func `with no memory left an allocation fails`() async {
    await #expect(processExitsWith: .success) {
      ExhaustedMemory.begin()
      _exit(unsafe malloc(1) == nil ? 0 : 1)
    }
  }

  private static let request =
    #"{"jsonrpc":"2.0","id":12345,"method":"search","params":{"q":"sw"},"task":{"key":"k"}}"#

  private static let batchFrame: String = {
    let request = #"{"jsonrpc":"2.0","id":1,"method":"m","params":{"x":[],"a\u002fb":[0,"key"]}}"#
    let batch = "[\(request), \(request)]"
    return "Content-Length: \(batch.utf8.count)\r\n\r\n\(batch)"
  }()

  /// Frames the batch, which comes in two chunks, and finds each request's key.
  private static func routedItems(
    in frame: [UInt8], _ framer: inout MessageFramer, _ pointer: JSONPointer
  ) -> Int {
    var offset = 0
    guard framer.next(in: frame.span, count: 50, from: &offset) == .incomplete,
      framer.next(in: frame.span, count: frame.count, from: &offset) == .assembled
    else { return 0 }
    let message = framer.takeAssembled()
    let range = message.range
    let count = message.withSpan { bytes in routedItems(of: range, in: bytes, pointer) }
    framer.recycle(message)
    return count
  }

  private static func routedItems(of batch: Range<Int>, in bytes: Span<UInt8>, _ pointer: JSONPointer) -> Int
  {
    var envelope = Envelope()
    guard EnvelopeScanner.scan(bytes, batch, into: &envelope) == .batch else { return 0 }
    var items = ArrayReader(batch)
    var count = 0
    while let item = items.next(in: bytes) {
      guard EnvelopeScanner.scan(bytes, item.value.range, into: &envelope) == .message else { break }
      if pointer.find(in: envelope.params, of: bytes)?.count == #""key""#.utf8.count { count += 1 }
    }
    return count
  }

  /// Frames and reads every request in the chunk, as the gateway does.
  private static func keyedRequests(in chunk: WireText, _ framer: inout LineFramer) -> Int {
    let bytes = chunk.bytes.span
    var offset = chunk.range.lowerBound
    var envelope = Envelope()
    var count = 0
    while case .inPlace(let line) = framer.next(in: bytes, count: chunk.range.upperBound, from: &offset) {
      guard EnvelopeScanner.scan(bytes, line, into: &envelope) == .message else { break }
      var task = ObjectReader(envelope.task)
      let isKeyed = task.next(in: bytes)?.isNamed("key", in: bytes) ?? false
      if isKeyed, RequestID(envelope.id, in: bytes).count == 5 { count += 1 }
    }
    return count
  }
}
