import CLibUV
import Glibc

/// What the kernel knows of a connection's peer, also from bytes that have not been read.
package struct PeerState: Equatable {
  /// Whether bytes of the peer, or its end, wait to be read.
  package var hasInput = false
  /// Whether the peer has sent its last byte; it may still read.
  package var hasEnded = false
  /// Whether the peer has reset the connection, or closed it after our own end: it reads nothing any more.
  package var isGone = false

  package init(hasInput: Bool = false, hasEnded: Bool = false, isGone: Bool = false) {
    self.hasInput = hasInput
    self.hasEnded = hasEnded
    self.isGone = isGone
  }
}

extension ByteStream {
  /// Asks the kernel, which costs a system call: for callers that are about to do much for a peer.
  package var peerState: PeerState {
    var asked = pollfd(fd: -1, events: Int16(Int(POLLIN) | CLIBUV_POLL_PEER_ENDED), revents: 0)
    guard handle.isOpen, uv_fileno(handle.cast(), &asked.fd) == 0, poll(&asked, 1, 0) >= 0 else {
      return PeerState(isGone: true)
    }
    let found = Int32(asked.revents)
    return PeerState(
      hasInput: found & POLLIN != 0, hasEnded: found & Int32(CLIBUV_POLL_PEER_ENDED) != 0,
      isGone: found & (POLLERR | POLLHUP | POLLNVAL) != 0)
  }
}
