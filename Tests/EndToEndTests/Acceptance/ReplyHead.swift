/// What a flood looks at of a line: whose it is, and whether it is an error.
struct ReplyHead {
  let id: Int
  let code: Int?

  init(_ line: UnsafeRawBufferPointer) {
    let (start, error) = (#"{"jsonrpc":"2.0","id":"#.utf8.count, #","error":{"code":"#)
    var position = start
    id = Self.number(line, &position)
    let isError =
      position + error.utf8.count < line.count
      && line[position..<position + error.utf8.count].elementsEqual(error.utf8)
    // After the minus sign.
    position += error.utf8.count + 1
    code = isError ? -Self.number(line, &position) : nil
  }

  private static func number(_ line: UnsafeRawBufferPointer, _ position: inout Int) -> Int {
    var number = 0
    while position < line.count, (0x30...0x39).contains(line[position]) {
      number = number * 10 + Int(line[position] - 0x30)
      position += 1
    }
    return number
  }
}
