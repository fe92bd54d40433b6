package import Addresses

extension SocketAddress: SettingText {
  static var form: String { "HOST:PORT or unix:PATH" }
  var settingText: String { description }

  init(setting text: String) throws(Mistake) {
    guard let address = SocketAddress(parsing: text) else { throw Self.mistake(text) }
    try address.checkPath()
    self = address
  }

  /// Throws if the path is longer than the kernel allows for a socket.
  func checkPath() throws(Mistake) {
    guard case .unix(let path) = self, path.utf8.count > Self.pathLimitBytes else { return }
    throw Mistake(
      "must have a path of at most \(Self.pathLimitBytes) bytes, as the kernel has it, not of \(path.utf8.count)"
    )
  }
}
