import JSONRPC

/// Answers that leave together because their requests came together.
extension Oracle {
  /// A client hears an array: all the answers of one batch, or nothing of it yet.
  mutating func heardBatch(_ array: Range<Int>, in bytes: [UInt8], by client: Int) {
    var elements = ArrayReader(array)
    var batch = -1
    var count = 0
    while let element = elements.next(in: bytes.span) {
      count += 1
      checkRoom(for: element.value.range, in: array, bytes, by: client)
      guard let number = heard(element.value.range, in: bytes, by: client, inBatch: true) else { continue }
      // Of twins nobody knows which batch they were in.
      guard records[number].isClear else { continue }
      expect(batch < 0 || records[number].batch == batch, "client \(client) got two batches in one")
      batch = records[number].batch
    }
    expect(count > 0, "client \(client) got an empty batch")
    guard batch >= 0 else { return }
    for number in batches[batch] where records[number].isOwed && records[number].isClear {
      complain("the batch of request \(number) was answered without it")
    }
  }
}
