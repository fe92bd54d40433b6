import TLS

/// What a client says, and which part of it the gateway hears.
extension SecureChannel {
  // MARK: What the client says

  /// Makes records of all that it has to say.
  func seal(_ view: inout SimulatedClient) {
    guard maySpeak, !hasSaidEnd else { return }
    while let plaintext = view.takeUnsealed(recordBytes) {
      let count = client.write(plaintext)
      expect(count == plaintext.count, "an engine does not take what it is given")
      keyChangesInARow = 0
    }
    if view.hasFinished && !isCutOff {
      sendOutput()
      client.end()
      hasSaidEnd = true
      endBytes = client.output.count
    }
    sendOutput()
  }

  /// Changes the keys, unless more often than the gateway bears without plaintext in between.
  func changeKeys() -> Bool {
    guard maySpeak, !hasSaidEnd, keyChangesInARow < TLSEngine.idleRecordLimit / 2 else { return false }
    keyChangesInARow += 1
    keyChanges += 1
    client.changeKeys()
    sendOutput()
    return true
  }

  /// Changes a byte of what is on its way. Of the handshake that is the last one: of what comes first nobody looks at
  /// all.
  func alter(_ place: Int) -> Bool {
    guard !onTheWay.isEmpty, !isAltered else { return false }
    isAltered = true
    isHandshakeAltered = !client.isSecured
    let index = isSecured ? place % onTheWay.count : onTheWay.count - 1
    onTheWay[index] ^= Self.alteration
    return true
  }

  /// Makes no kind of record another that there is.
  private static let alteration: UInt8 = 0x55

  func sendOutput() {
    onTheWay += client.output
    client.output = []
  }

  // MARK: What the gateway hears

  /// Of the client's bytes only its `close_notify` is still on its way.
  var isAtEnd: Bool { hasSaidEnd && onTheWay.count <= endBytes }

  /// The next of it arrives: so many bytes at most, or a part of the handshake.
  /// - Parameter endsApart: the client's word that this is all does not come with anything else.
  func bring(_ limit: Int, endsApart: Bool) -> TLSSession.Progress {
    var count = isSecured ? min(limit, onTheWay.count) : flightBytes(limit)
    if endsApart && hasSaidEnd && !isAtEnd { count = min(count, onTheWay.count - endBytes) }
    let piece = Array(onTheWay[..<count])
    onTheWay.removeFirst(count)
    let progress = session.receive(
      piece.span, count: count, into: &plaintext, slackBytes: World.slackBytes, over: wire)
    if progress.isSecured {
      wire.handshakeEnded()
      expect(client.isSecured, "it is served before its handshake is over")
      expect(!isHandshakeAltered, "its handshake was altered on the way, and is taken")
    }
    listen()
    return progress
  }

  private func flightBytes(_ limit: Int) -> Int {
    if limit < Action.everything { isMidFlight.toggle() } else { isMidFlight = false }
    return isMidFlight ? (onTheWay.count + 1) / 2 : onTheWay.count
  }
}
