/// A protocol between clients and the gateway.
package enum ClientProtocol: String, SettingChoice {
  case lines
  case contentLength = "content-length"
  case http
  case webSocket = "websocket"
}
