import WebSocket

extension WireCase {
  static let closes =
    [
      WireCase("without a code", [Frame(0x88, "")], [.close(nil, "")]),
      WireCase(
        "with a reason", [Frame(0x88, [0x03, 0xE8] + Array("Bye: κόσμε".utf8))],
        [.close(1000, "Bye: κόσμε")]),
      WireCase(
        "with the longest reason",
        [Frame(0x88, [0x03, 0xE9] + [UInt8](repeating: 0x2A, count: 123))],
        [.close(1001, String(repeating: "*", count: 123))]),
      WireCase(
        "what follows is not read",
        [Frame(0x81, "a"), Frame(0x88, [0x03, 0xE8]), Frame(0x89, ""), Frame(0x88, ""), Frame(0xFF, "b")],
        [.text("a"), .close(1000, "")]),
    ]
    + ([1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000, 4999]
    as [UInt16]).map { code in
      WireCase("with \(code)", [Frame(0x88, [UInt8(code >> 8), UInt8(code & 0xFF)])], [.close(code, "")])
    }

  static let wrongCloses =
    ([0, 1, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65535] as [UInt16]).map { code in
      WireCase(
        "with \(code)", [Frame(0x88, [UInt8(code >> 8), UInt8(code & 0xFF)])], [.fault(.closeCode)])
    } + [
      WireCase("half a code", [Frame(0x88, [0x03])], [.fault(.closeOfOneByte)]),
      WireCase("a close of 126 bytes", [Frame(first: 0x88, lengthCode: 126)], [.fault(.longControl)]),
      WireCase("a close that goes on", [Frame(first: 0x08)], [.fault(.fragmentedControl)]),
    ]
    + badSequences.map { bad in
      WireCase("the reason \(bad)", [Frame(0x88, [0x03, 0xE8] + bad)], [.fault(.closeReason)])
    }
    + [
      WireCase(
        "half a scalar as the reason", [Frame(0x88, [0x03, 0xE8, 0xE2, 0x82])], [.fault(.closeReason)])
    ]
}
