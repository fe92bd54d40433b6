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

  @Test func `with no memory left an allocation fails`() async {
    await #expect(processExitsWith: .success) {
      ExhaustedMemory.begin()
      _exit(unsafe malloc(1) == nil ? 0 : 1)
    }
  }

  private static let request =
    #"{"jsonrpc":"2.0","id":12345,"method":"search","params":{"q":"sw"},"task":{"key":"k"}}"#

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
