import HotData
import JSONRPC
import TaskStore

/// Answers that leave in one array.
extension Edge {
  /// A new array of a client's, that is being read.
  mutating func openBatch(of client: Int) -> Int {
    let batch = batches.insert(Batch(client: client))
    batchLinks.append(batch + 1, to: &clients[client].batches)
    return batch
  }

  /// One answer less to wait for; with the last one the array leaves, unless there was nothing to answer.
  mutating func release(_ batch: Int) {
    batches[batch].awaited -= 1
    guard batches[batch].awaited == 0 else { return }
    let (client, answers) = (batches[batch].client, batches[batch].answers)
    batches.remove(batch)
    batchLinks.remove(batch + 1, from: &clients[client].batches)
    count(batchBytes: -answers.count, of: client)
    guard !answers.isEmpty, !clients[client].isGivenUp else { return }
    let framing = clients[client].framing
    MessageWriter.openFrame(as: framing, byteCount: answers.count + 2, into: &clients[client].output)
    clients[client].output.append(UInt8(ascii: "["))
    clients[client].output.append(answers.span)
    clients[client].output.append(UInt8(ascii: "]"))
    MessageWriter.closeFrame(as: framing, into: &clients[client].output)
    markDirty(client)
  }

  mutating func answerInBatch(
    _ id: RequestID, isError: Bool, _ bytes: Span<UInt8>, _ body: Range<Int>, batch: Int
  ) {
    let byteCount = MessageWriter.answerByteCount(id, isError: isError, bodyByteCount: body.count)
    guard openEntry(of: byteCount, for: id, in: batch) else { return }
    let framing = clients[batches[batch].client].framing
    MessageWriter.answerObject(
      id, isError: isError, bytes, body, as: framing, into: &batches[batch].answers)
  }

  mutating func answerInBatch(_ id: RequestID, _ error: RPCError, batch: Int) {
    guard openEntry(of: MessageWriter.errorByteCount(id, error), for: id, in: batch) else { return }
    MessageWriter.errorObject(id, error, into: &batches[batch].answers)
  }

  mutating func answerInBatch<Data: JSONPart>(
    _ id: RequestID, _ error: RPCError, data: Data, batch: Int
  ) {
    let byteCount = MessageWriter.errorByteCount(id, error, data: data)
    guard openEntry(of: byteCount, for: id, in: batch) else { return }
    MessageWriter.errorObject(id, error, data: data, into: &batches[batch].answers)
  }

  /// Makes room for an answer of so many bytes; without room that is what the answer says.
  private mutating func openEntry(of byteCount: Int, for id: RequestID, in batch: Int) -> Bool {
    let before = batches[batch].answers.count
    let brackets = 2
    let comma = before > 0 ? 1 : 0
    if before + comma + byteCount + brackets > configuration.batchReplyBytes { batches[batch].isFull = true }
    if comma > 0 { batches[batch].answers.append(UInt8(ascii: ",")) }
    var grown = byteCount
    if batches[batch].isFull {
      MessageWriter.errorObject(id, Self.fullBatch, into: &batches[batch].answers)
      grown = MessageWriter.errorByteCount(id, Self.fullBatch)
    }
    let client = batches[batch].client
    let isFull = batches[batch].isFull
    markDirty(client)
    count(batchBytes: grown + comma, of: client)
    return !isFull && !clients[client].isGivenUp
  }

  private static let fullBatch = RPCError.tooLarge.with(message: "the batch's answer is too large")
}
