/// The sizes beyond which a message or a part of it is refused, unless the configuration says otherwise.
package enum WireLimits {
  /// A request's id as it stands in the message, a string's quotes included.
  package static let idBytes = 128
  /// A method's name as it stands in the message, without its quotes.
  package static let methodBytes = 256
  /// A task's key once it is unescaped.
  package static let keyBytes = 512
  /// The label of a group of requests once it is unescaped.
  package static let groupBytes = 512
  /// One message without its line end or header.
  package static let messageBytes = 4 * 1024 * 1024
  /// Arrays and objects within each other, the message itself counted.
  package static let nestingLevels = 128
  /// The header block before a body, its empty line included; no configuration changes that.
  package static let headerBytes = 8 * 1024
  /// The items of one batch.
  package static let batchItems = 1000
}
