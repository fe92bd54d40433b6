/// What clients speak.
package enum ClientProtocol: String, SettingChoice {
  case lines
  case contentLength = "content-length"
  case http
  case webSocket = "websocket"
}
