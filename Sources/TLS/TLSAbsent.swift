#if !TLS
/// What a program without TLS has in its place: none can be made, and the attempt says why.
package final class TLSContext {
  package init(server settings: TLSServerSettings) throws(TLSFault) { throw Self.fault }
  package init(client settings: TLSClientSettings) throws(TLSFault) { throw Self.fault }
  package func wouldTrust(_ engine: TLSEngine) -> Bool { false }

  private static var fault: TLSFault { TLSLibrary.fault ?? TLSFault(.absent, "there is no TLS") }
}

/// None can be made, for there is no context to make one of.
package final class TLSEngine {
  package static let recordBytes = 16 * 1024
  package static let recordOverheadBytes = 1024
  package static let outputLimitBytes = 64 * 1024
  package static let idleRecordLimit = 32

  package let isSecured = false
  package let peerHasEnded = false
  package let hasEnded = false
  package let holdsPart = false
  package let fault: TLSFault?
  package let peer: TLSPeer? = nil
  package let version = ""
  package let applicationProtocol: String? = nil
  package var output: [UInt8] = []

  package init(server context: TLSContext) throws(TLSFault) {
    throw TLSLibrary.fault ?? TLSFault(.absent, "there is no TLS")
  }

  package init(client context: TLSContext, to name: String) throws(TLSFault) {
    throw TLSLibrary.fault ?? TLSFault(.absent, "there is no TLS")
  }

  package func receive(
    _ ciphertext: Span<UInt8>, count: Int, into plaintext: inout [UInt8], slackBytes: Int = 0
  ) -> Int { 0 }
  package func inputEnded() {}
  package func write(
    _ chunks: UnsafeBufferPointer<UnsafeRawBufferPointer>, from offset: Int = 0, limit: Int = .max
  ) -> Int { 0 }
  package func write(_ bytes: [UInt8]) -> Int { 0 }
  package func end() {}
  package func changeKeys() {}
}

@available(*, unavailable)
extension TLSContext: Sendable {}

@available(*, unavailable)
extension TLSEngine: Sendable {}
#endif
