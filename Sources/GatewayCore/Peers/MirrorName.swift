import JSONRPC

/// What a client that a mirror stands for is called at its own loop.
package struct MirrorName: Hashable, Sendable {
  package let loop: Int
  let slot: Int
  let serial: UInt64
  let framing: Framing
}
