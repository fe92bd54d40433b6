#if TLS
import TLS

/// Records that a server's engine is fed: what nobody sealed is never plaintext, and what was sealed arrives as it was,
/// however it is cut.
///
/// The input's first byte chooses what the rest is, its second the pieces.
struct TLSRecords {
  private let bytes: [UInt8]
  private let choice: UInt8
  private let step: Int

  init(_ input: [UInt8]) {
    bytes = Array(input.dropFirst(2))
    choice = input.first ?? 0
    step = Int(input.dropFirst().first ?? 0) + 1
  }

  func check() throws(Violation) {
    switch choice % 5 {
    case 0: try checkStrangers()
    case 1: try checkForgery()
    case 2: try checkPlaintext()
    case 4: try checkBackPressure()
    default: try checkDamagedHello()
    }
  }

  /// The first words of somebody, whole and in pieces.
  private func checkStrangers() throws(Violation) {
    let whole = try TLSConversation()
    whole.toServer(bytes, step: max(1, bytes.count))
    let cut = try TLSConversation()
    cut.toServer(bytes, step: step)
    try require(!whole.server.isSecured && whole.heard.isEmpty, "bytes alone are a handshake")
    try require(whole.server.fault?.kind == cut.server.fault?.kind, "it matters where they are cut")
    try require(whole.server.output.count <= TLSEngine.outputLimitBytes, "a stranger makes us say much")
  }

  /// Records behind a handshake, by somebody who does not know its keys.
  private func checkForgery() throws(Violation) {
    let conversation = try TLSConversation()
    conversation.shakeHands()
    try require(conversation.server.isSecured, "a handshake fails")
    conversation.toServer(bytes, step: step)
    try require(conversation.heard.isEmpty, "forged bytes are plaintext")
    try require(!conversation.server.peerHasEnded, "a forged end is one")
  }

  private func checkPlaintext() throws(Violation) {
    let conversation = try TLSConversation()
    conversation.shakeHands()
    try require(conversation.client.write(bytes) == bytes.count, "not all is taken")
    conversation.client.end()
    conversation.toServer(conversation.takeOutput(), step: step)
    try require(conversation.heard == bytes, "what arrives is something else")
    try require(conversation.server.peerHasEnded && conversation.server.fault == nil, "its end is none")
  }

  /// What a session takes for a stream that takes little at once arrives whole and in order, and little of it waits.
  private func checkBackPressure() throws(Violation) {
    let conversation = try TLSConversation()
    conversation.shakeHands()
    let session = TLSSession(conversation.server, writeBytes: step)
    let carrier = SparingCarrier(bytes)
    var (taken, heard) = (0, [UInt8]())
    for _ in 0..<Self.mostRounds where taken < bytes.count {
      taken += write(bytes[taken...], to: session, over: carrier)
      try require(session.engine.output.count <= step + Self.recordOverheadBytes, "more waits than was taken")
      heard += conversation.toClient(carrier.pass())
      _ = session.becameWritable(over: carrier)
    }
    heard += conversation.toClient(carrier.pass())
    let lastWords = session.release(over: carrier)
    heard += conversation.toClient(carrier.pass() + lastWords)
    try require(heard == bytes, "what arrives is something else")
    try require(conversation.client.peerHasEnded, "it is closed without a word")
  }

  /// In two chunks.
  private func write(_ bytes: ArraySlice<UInt8>, to session: TLSSession, over carrier: SparingCarrier) -> Int
  {
    // The pointers are valid during the call, and nothing of them is kept.
    unsafe bytes.withUnsafeBytes { all in
      let middle = all.count / 2
      let chunks = unsafe [
        UnsafeRawBufferPointer(rebasing: all[..<middle]), UnsafeRawBufferPointer(rebasing: all[middle...]),
      ]
      return unsafe chunks.withUnsafeBufferPointer { unsafe session.write($0, over: carrier) }
    }
  }

  /// Each brings a byte of ciphertext at least.
  private static let mostRounds = 100_000
  /// A header, a kind and a tag.
  private static let recordOverheadBytes = 22

  /// A client's first words, some of whose bytes were changed on the way.
  private func checkDamagedHello() throws(Violation) {
    let conversation = try TLSConversation()
    var hello = conversation.takeOutput()
    let before = hello
    for place in stride(from: 0, to: bytes.count - 2, by: 3) {
      // Not the version in the record's header, which nobody looks at.
      let index = 5 + (Int(bytes[place]) << 8 | Int(bytes[place + 1])) % (hello.count - 5)
      hello[index] ^= bytes[place + 2]
    }
    conversation.toServer(hello, step: step)
    conversation.shakeHands()
    try require(hello == before || !conversation.server.isSecured, "a changed handshake is taken")
    try require(hello != before || conversation.server.isSecured, "an unchanged handshake is not taken")
  }
}
#endif
