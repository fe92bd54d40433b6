/// Our own certificate, its chain up to its authority, and its key.
package struct TLSIdentity: Sendable {
  /// PEM, our own certificate first.
  package let chain: [UInt8]
  /// PEM, not encrypted.
  package let key: [UInt8]

  package init(chain: [UInt8], key: [UInt8]) {
    self.chain = chain
    self.key = key
  }
}
