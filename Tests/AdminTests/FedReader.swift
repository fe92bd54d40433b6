import HTTP1

@testable import Admin

/// What a reader makes of bytes that come in pieces.
struct FedReader {
  private(set) var requests: [HTTPRequest] = []
  private(set) var fault: HTTPFault?
  private var reader = HTTPRequestReader(methods: HTTPRequest.methods)

  var hasBegun: Bool { reader.hasBegun }

  mutating func feed(_ bytes: some Collection<UInt8>) {
    let bytes = Array(bytes)
    var offset = 0
    while fault == nil {
      switch reader.next(in: bytes.span, count: bytes.count, from: &offset) {
      case .more: return
      case .head(let head):
        do throws(HTTPFault) {
          requests.append(try HTTPRequest(head))
        } catch {
          fault = error
        }
      case .content, .end: preconditionFailure("a request for a page has no content")
      case .fault(let fault): self.fault = fault
      }
    }
  }

  /// In one piece, in two pieces at each place, and byte by byte: always the same, else nil.
  static func reading(_ text: String) -> FedReader? {
    let bytes = Array(text.utf8)
    var whole = FedReader()
    whole.feed(bytes)
    var cuts = (0...bytes.count).map { cut in
      var reader = FedReader()
      reader.feed(bytes[..<cut])
      reader.feed(bytes[cut...])
      return reader
    }
    var single = FedReader()
    for byte in bytes { single.feed([byte]) }
    cuts.append(single)
    return cuts.allSatisfy { $0.requests == whole.requests && $0.fault == whole.fault } ? whole : nil
  }
}
