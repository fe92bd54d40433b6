#if HTTPUpstreams
import CLibCurl
#endif

/// The versions of libcurl, in programs that need it.
package enum HTTPLibraryVersion {
  #if HTTPUpstreams
  /// The version of the headers that this program was built with.
  package static let built: String? = LIBCURL_VERSION
  /// The version of the library that is loaded.
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
