/// The oldest version of TLS that is spoken; RFC 8996 forbids those before 1.2.
package enum TLSVersion: String, CaseIterable, Hashable, Sendable {
  case v1_2 = "1.2"
  case v1_3 = "1.3"
}
