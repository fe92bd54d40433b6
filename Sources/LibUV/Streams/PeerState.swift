import CLibUV
import Glibc

/// The kernel's knowledge of a connection's peer, even from bytes that have not been read.
package struct PeerState: Equatable {
  /// Bytes of it, or its end, wait to be read.
  package var hasInput = false
  /// It has sent its last byte, and may still read.
  package var hasEnded = false
  /// It has reset the connection, or has closed it behind our own end: nobody reads what is written.
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
