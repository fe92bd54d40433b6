import CLibUV

/// Which libuv there is.
package enum LibraryVersion {
  /// Whose headers were built with.
  package static let built = "\(UV_VERSION_MAJOR).\(UV_VERSION_MINOR).\(UV_VERSION_PATCH)"
  /// That runs.
  package static var running: String { String(cString: uv_version_string()) }
}
