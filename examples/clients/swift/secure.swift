// TLS for lastword.swift and typeahead.swift, by OpenSSL: Foundation has none for sockets.
//
//     cc -c ../c/secure.c
//     swiftc -parse-as-library -o YOURS -I Secure lastword.swift secure.swift YOUR.swift secure.o

import Foundation
import Glibc
import Secure

/// A connection under TLS. One thread reads while another writes, and whoever waits for the network has no lock.
final class SecureSocket: Carrier, @unchecked Sendable {
  /// The other end is not whom it should be, or speaks no TLS.
  struct Mistrust: Error, CustomStringConvertible {
    /// Whether it is its certificate that is wrong.
    let isOfCertificate: Bool
    let description: String
  }

  /// For each step of a handshake, and for each part of what is sent.
  private static let patienceMilliseconds: Int32 = 5_000

  private let descriptor: Int32
  private let session: OpaquePointer
  private let lock = NSLock()

  /// Takes over a socket that is connected. The certificate has to be for that host, and from an authority in the PEM file
  /// `ca`, or else one that the system trusts; throws a `Mistrust` if it is not.
  init(_ descriptor: Int32, to host: String, ca: String? = nil) throws(Mistrust) {
    guard let session = secure_over(descriptor, host, ca) else {
      Glibc.close(descriptor)
      throw Mistrust(isOfCertificate: true, description: "the authority's certificate cannot be read")
    }
    self.descriptor = descriptor
    self.session = session
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    if patiently(Self.patienceMilliseconds, { SSL_do_handshake(session) }) == 1 { return }
    let reason = secure_mistrust(session).map { String(cString: $0) }
    throw Mistrust(
      isOfCertificate: reason != nil,
      description: reason.map { "certificate: \($0)" } ?? "the handshake failed")
  }

  deinit {
    SSL_free(session)
    Glibc.close(descriptor)
  }

  func read(withinMilliseconds patience: Int32) -> Data {
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let count = patiently(patience) { SSL_read(session, &bytes, Int32(bytes.count)) }
    return Data(bytes.prefix(max(0, Int(count))))
  }

  func write(_ bytes: Data) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { bytes in
        patiently(Self.patienceMilliseconds) {
          SSL_write(session, bytes.baseAddress, Int32(clamping: bytes.count))
        }
      }
      // Half a line is worse than none.
      guard count > 0 else { return end() }
      rest = rest.dropFirst(Int(count))
    }
  }

  func end() { shutdown(descriptor, Int32(SHUT_RDWR)) }

  /// Does it again whenever the network is ready, until it is done or fails, or the network takes longer than that.
  private func patiently(_ milliseconds: Int32, _ step: () -> Int32) -> Int32 {
    while true {
      let (result, reason) = lock.withLock {
        ERR_clear_error()
        let result = step()
        return (result, result > 0 ? SSL_ERROR_NONE : SSL_get_error(session, result))
      }
      switch reason {
      case SSL_ERROR_WANT_READ where isReady(POLLIN, within: milliseconds): continue
      case SSL_ERROR_WANT_WRITE where isReady(POLLOUT, within: milliseconds): continue
      default: return result
      }
    }
  }

  private func isReady(_ event: Int32, within milliseconds: Int32) -> Bool {
    var waiting = pollfd(fd: descriptor, events: Int16(event), revents: 0)
    return poll(&waiting, 1, milliseconds) > 0
  }
}
