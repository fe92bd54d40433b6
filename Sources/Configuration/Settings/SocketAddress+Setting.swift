package import Addresses

extension SocketAddress: SettingText {
  static var form: String { "HOST:PORT or unix:PATH" }
  var settingText: String { description }

  init(setting text: String) throws(Mistake) {
    guard let address = SocketAddress(parsing: text) else { throw Self.mistake(text) }
    self = address
  }
}
