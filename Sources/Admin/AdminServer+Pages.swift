import HTTP1

/// The pages that every gateway has.
extension AdminServer {
  /// - Parameter reasons: why no requests should be sent to this gateway, one per line; empty: they should.
  package func addHealth(_ reasons: @escaping () -> [String]) {
    add("/livez", isShort: true, isOpen: true) { _ in .text("ok\n") }
    add("/readyz", isShort: true, isOpen: true) { _ in
      let reasons = reasons()
      guard reasons.isEmpty else {
        return .text(reasons.map { "\($0)\n" }.joined(), .unavailable)
      }
      return .text("ready\n")
    }
  }

  /// - Parameter text: the configuration in force, without secrets.
  package func addConfiguration(_ text: @escaping () -> String) {
    add("/config") { _ in .text("\(text())\n") }
  }

  /// The page itself needs no token: its script requests the data, with the token that its reader types.
  package func addLivePage(_ page: LivePage) {
    add("/", isOpen: true) { _ in page.response() }
  }
}
