#if HTTPUpstreams
import CLibCurl

/// Says whether this machine's libcurl can be used.
enum HTTPLibrary {
  /// Why it cannot be used; nil if it can. To be checked before any other call of libcurl's.
  static let fault: String? = {
    // The library's own table, which it never frees. Packaged programs look for the library when they need it.
    guard let version = unsafe clibcurl_version() else { return "this machine has no libcurl (libcurl.so.4)" }
    // Swift runs this once, on whichever thread comes first, as libcurl requires.
    guard curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK else { return "libcurl does not start" }
    guard unsafe version.pointee.version_num >= LIBCURL_VERSION_NUM else {
      return "libcurl is older than the one that was built with"
    }
    guard unsafe version.pointee.features & CURL_VERSION_ASYNCHDNS != 0 else {
      return "libcurl would stand still while it looks names up"
    }
    return nil
  }()
}
#endif
