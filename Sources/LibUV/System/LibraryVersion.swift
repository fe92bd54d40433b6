import CLibUV

/// The versions of libuv.
package enum LibraryVersion {
  /// The version of the headers that this program was built with.
  package static let built = "\(UV_VERSION_MAJOR).\(UV_VERSION_MINOR).\(UV_VERSION_PATCH)"
  /// The version of the library that is loaded.
  package static var running: String { String(cString: uv_version_string()) }
}
