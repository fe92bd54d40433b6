import Glibc

/// A host that is given as a number and needs no looking up.
enum NumericHost {
  static func isIPv6(_ text: String) -> Bool { bytesOfIPv6(text) != nil }

  /// The 4 or 16 bytes that a host stands for; nil if it is a name.
  static func bytes(of host: String) -> [UInt8]? {
    var address = in_addr()
    if unsafe inet_pton(AF_INET, host, &address) == 1 { return Self.bytes(in: address) }
    return bytesOfIPv6(host)
  }

  /// A zone, as in `fe80::1%eth0`, says on which link the address is, and nothing of its bytes.
  private static func bytesOfIPv6(_ text: String) -> [UInt8]? {
    let number = String(text.prefix { $0 != "%" })
    var address = in6_addr()
    return unsafe inet_pton(AF_INET6, number, &address) == 1 ? Self.bytes(in: address) : nil
  }

  private static func bytes<Address>(in address: Address) -> [UInt8] {
    unsafe withUnsafeBytes(of: address) { unsafe Array($0) }
  }
}
