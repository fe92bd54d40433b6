import HotData
import JSONRPC

/// Requests that came in one array: their answers leave in one, too.
struct Batch {
  let client: Int
  /// Answers that are still to come, and one more while the array is being read.
  var awaited = 1
  /// The answers so far, with commas between them.
  var answers: [UInt8] = []
  /// An answer did not fit: it, and every later one, says so instead.
  var isFull = false
}

extension GatewayCore {
  /// Reads an array of messages (JSON-RPC 2.0, section 6): each is a request of its own, in the array's order.
  mutating func receiveBatch(_ bytes: Span<UInt8>, _ array: Range<Int>, from client: Int) {
    let limit = configuration.batchItems
    let count = ArrayReader(array).count(in: bytes, upTo: limit + 1)
    guard (1...limit).contains(count) else {
      let message = count == 0 ? "a batch is empty" : "a batch has more than \(limit) items"
      return refuseMessage(.invalidRequest.with(message: message), from: Sender(client: client))
    }
    let batch = batches.insert(Batch(client: client))
    batchLinks.append(batch + 1, to: &clients[client].batches)
    guard count <= share.messages else { return open(array, in: bytes, itemCount: count, batch: batch) }
    var reader = ArrayReader(array)
    let sender = Sender(client: client, batch: batch)
    while let element = reader.next(in: bytes) { receiveItem(element.value.range, in: bytes, from: sender) }
    release(batch)
  }

  mutating func receiveItem(_ item: Range<Int>, in bytes: Span<UInt8>, from sender: Sender) {
    var envelope = Envelope()
    // The array was checked with all that is in it; short items are read faster with a check.
    let outcome =
      item.count < configuration.checkedPartBytes
      ? EnvelopeScanner.scan(bytes, item, configuration.scan, into: &envelope)
      : EnvelopeScanner.scanKnown(bytes, item, configuration.scan, into: &envelope)
    share.spend(messages: 1)
    receive(outcome, envelope, in: bytes, from: sender)
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

  // MARK: The growing array

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
