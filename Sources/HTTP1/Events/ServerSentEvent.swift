/// One event of a stream as browsers read it (HTML, section 9.2 "Server-sent events").
package struct ServerSentEvent: Equatable, Sendable {
  /// What the reader listens for.
  package var type: String
  package var data: [UInt8]
  /// The id that a reader names when it comes back; nil: this event does not change it.
  package var id: String?

  package init(type: String = "message", data: [UInt8], id: String? = nil) {
    self.type = type
    self.data = data
    self.id = id
  }

  /// - Parameters:
  ///   - type: without its line breaks.
  ///   - data: text; each of its lines becomes one of the event's.
  package static func write(type: String, data: some Sequence<UInt8>, into output: inout [UInt8]) {
    let data = Array(data)
    output.append(contentsOf: "event: ".utf8)
    output.append(contentsOf: type.utf8.lazy.filter { !isBreak($0) })
    var start = 0
    while start <= data.count {
      let end = data[start...].firstIndex(where: isBreak) ?? data.count
      output.append(contentsOf: "\ndata: ".utf8)
      output.append(contentsOf: data[start..<end])
      start = end + 1
    }
    output.append(contentsOf: "\n\n".utf8)
  }

  private static func isBreak(_ byte: UInt8) -> Bool { byte == 0x0a || byte == 0x0d }
}
