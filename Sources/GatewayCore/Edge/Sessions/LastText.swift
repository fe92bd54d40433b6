/// What a client's last line or body was.
enum LastText: UInt8 {
  /// None has come.
  case none
  case message
  /// A line of a JSON text that stands on several lines, not the last one.
  case cutOff
}
