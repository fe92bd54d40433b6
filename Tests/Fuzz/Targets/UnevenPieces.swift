/// Cuts a stream into pieces of 1 to 64 bytes, as a byte of the input chooses.
enum UnevenPieces {
  static func of(_ stream: [UInt8], chosenBy choice: UInt8) -> [Range<Int>] {
    var (pieces, start): ([Range<Int>], Int) = ([], 0)
    var length = Int(choice)
    while start < stream.count {
      length = (length * 5 + 3) % 64
      let end = min(start + 1 + length, stream.count)
      pieces.append(start..<end)
      start = end
    }
    return pieces
  }
}
