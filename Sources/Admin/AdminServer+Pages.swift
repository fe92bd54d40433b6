import HTTP1

/// The pages that every gateway has.
extension AdminServer {
  /// - Parameter reasons: why no work should be sent here, one a line; none: it should.
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

  /// - Parameter text: the configuration that is in force, without what is secret.
  package func addConfiguration(_ text: @escaping () -> String) {
    add("/config") { _ in .text("\(text())\n") }
  }

  /// It is the same for everybody: what it shows it asks for, with the token that is typed there.
  package func addLivePage(_ page: LivePage) {
    add("/", isOpen: true) { _ in page.response() }
  }
}
