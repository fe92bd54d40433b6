package import JSONRPC
import TOML

/// The place of the key in a request's params; not the empty pointer, as the params themselves are no string.
extension JSONPointer: SettingText {
  static let limitBytes = 1024
  static var form: String { "a JSON Pointer into the params, such as '/textDocument/uri' or '/0'" }
  var settingText: String { text }

  init(setting text: String) throws(Mistake) {
    guard !text.isEmpty, text.utf8.count <= Self.limitBytes else { throw Self.mistake(text) }
    do throws(Fault) {
      try self.init(text)
    } catch {
      switch error {
      case .noLeadingSlash: throw Self.mistake(text)
      case .strayTilde:
        throw Mistake("must be \(Self.form): in \(Quoted.text(text)) a '~' is not followed by 0 or 1")
      }
    }
  }
}
