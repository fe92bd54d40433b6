import JSONRPC
import TaskStore

/// Writes requests from prepared pieces, straight into a connection's output.
struct RequestWriter {
  private let afterID: [UInt8]
  private let run: [UInt8]
  private let padding: [UInt8]
  private let paddingBytes: Int
  private let sharesKeys: Bool
  private let hasKeys: Bool
  private let isDirect: Bool
  /// The member of the params about pieces; empty: there is none.
  private let pieces: [UInt8]

  init(_ options: LoadOptions) {
    var afterID: [UInt8] = []
    afterID.append(",\"method\":")
    MessageWriter.appendString(options.method, into: &afterID)
    self.afterID = afterID
    var run: [UInt8] = []
    run.append(decimal: options.run)
    self.run = run
    paddingBytes = options.workload.paddingBytes
    padding = Array(
      repeating: UInt8(ascii: "x"), count: max(paddingBytes, options.workload.sizeBytes.upperBound))
    sharesKeys = options.workload.sharesKeys
    hasKeys = options.workload.policies != nil
    isDirect = options.isDirect
    pieces = Self.text(of: options.workload.pieces)
  }

  private static func text(of shape: PieceShape) -> [UInt8] {
    var text: [UInt8] = []
    guard shape.count > 0 else { return text }
    for (name, value) in [
      ("pieces", shape.count), ("pieceMs", shape.milliseconds), ("piecePad", shape.paddingBytes),
    ] {
      text.append(contentsOf: ",\"\(name)\":\(value)".utf8)
    }
    return text
  }

  /// - Parameter saysOrder: others of its client may overtake it: its number tells which was sent first.
  func write(
    _ number: UInt64, _ request: RequestShape, keyNumber: Int, saysOrder: Bool, into output: inout [UInt8]
  ) {
    let start = output.count
    output.append("{\"jsonrpc\":\"2.0\",\"id\":")
    output.append(decimal: number)
    output.append(contentsOf: afterID)
    let isTask = hasKeys || !pieces.isEmpty
    if isTask && !isDirect { writeTask(request, order: saysOrder ? number : nil, into: &output) }
    output.append(",\"params\":{\"n\":")
    output.append(decimal: number)
    if let policy = request.policy {
      output.append(",\"run\":")
      output.append(contentsOf: run)
      output.append(",\"key\":")
      output.append(decimal: UInt64(keyNumber))
      output.append(",\"policy\":\"")
      output.append(policy.wireName)
      output.append("\"")
    } else {
      output.append(",\"run\":")
      output.append(contentsOf: run)
    }
    output.append(contentsOf: pieces)
    pad(to: request.sizeBytes, since: start, in: &output)
    output.append("}}\n")
  }

  private func writeTask(_ request: RequestShape, order: UInt64?, into output: inout [UInt8]) {
    guard let policy = request.policy else { return output.append(",\"task\":{\"stream\":true}") }
    output.append(",\"task\":{\"key\":\"load:")
    output.append(contentsOf: run)
    if !sharesKeys {
      output.append(":")
      output.append(decimal: UInt64(request.connection))
    }
    output.append(":")
    output.append(decimal: UInt64(request.key))
    output.append("\",\"policy\":\"")
    output.append(policy.wireName)
    output.append("\"")
    if let order {
      output.append(",\"order\":")
      output.append(decimal: order)
    }
    if !pieces.isEmpty { output.append(",\"stream\":true") }
    output.append("}")
  }

  /// It comes last, so that upstream need not look at it.
  private func pad(to sizeBytes: Int, since start: Int, in output: inout [UInt8]) {
    let missing = max(paddingBytes, sizeBytes - (output.count - start) - Self.paddingFrame)
    guard missing > 0 else { return }
    output.append(",\"pad\":\"")
    output.append(padding.span, 0..<missing)
    output.append("\"")
  }

  /// What stands around the padding and after it.
  private static let paddingFrame = #","pad":"""#.utf8.count + "}}\n".utf8.count

  static func writeCancel(_ number: UInt64, into output: inout [UInt8]) {
    MessageWriter.openCancelRequest(into: &output)
    output.append(decimal: number)
    output.append("}}\n")
  }
}
