import JSONRPC

/// The name that a mirror's client has at its own loop.
package struct MirrorName: Hashable, Sendable {
  package let loop: Int
  let slot: Int
  let serial: UInt64
  let framing: Framing
}
