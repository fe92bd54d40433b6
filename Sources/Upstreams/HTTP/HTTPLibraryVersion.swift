#if HTTPUpstreams
import CLibCurl
#endif

/// Which libcurl there is, in programs that need one.
package enum HTTPLibraryVersion {
  #if HTTPUpstreams
  /// Whose headers were built with.
  package static let built: String? = LIBCURL_VERSION
  /// That runs.
  package static var running: String? {
    // The library's own table, which it never frees.
    guard let version = unsafe clibcurl_version()?.pointee.version else { return nil }
    return unsafe String(cString: version)
  }
  #else
  package static let built: String? = nil
  package static let running: String? = nil
  #endif
}
