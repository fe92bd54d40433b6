/// Numbers the streams of random numbers of a run, so that a change to one choice leaves the others alone.
enum Streams {
  static let times: UInt64 = 1
  static let connections: UInt64 = 2
  static let disconnects: UInt64 = 3
  static let transports: UInt64 = 9

  /// The stream for the keys, policies, sizes and cancels of a connection.
  static func keys(of connection: Int) -> UInt64 { stream(4, connection) }
  static func policies(of connection: Int) -> UInt64 { stream(5, connection) }
  static func sizes(of connection: Int) -> UInt64 { stream(6, connection) }
  static func cancels(of connection: Int) -> UInt64 { stream(7, connection) }
  static func typist(_ index: Int) -> UInt64 { stream(8, index) }

  private static func stream(_ kind: UInt64, _ index: Int) -> UInt64 { kind << 32 | UInt64(index) }
}
