/// Connections that are no clients yet, and take memory: those in their handshakes, say.
protocol ArrivingConnections: AnyObject {
  /// How much they take in all.
  var byteCount: Int { get }
  /// Closes some of them, until they take at most so much. It is asked within the core's flush: the core must not be
  /// told of it.
  func makeRoom(byteCount: Int)
}
