/// The carrier of a session's ciphertext: a socket, or a substitute.
package protocol TLSCarrier: AnyObject {
  /// Some of what it took has not left: until then it takes nothing more.
  var isWriting: Bool { get }
  /// Returns how many of the bytes it took, from the first one on.
  func write(_ ciphertext: [UInt8]) -> Int
  /// Ends our side behind all that it took.
  func shutdown()
}
