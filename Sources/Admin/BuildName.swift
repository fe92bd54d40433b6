/// The program's version, as the admin pages show it.
package struct BuildName: Sendable {
  package let version: String
  /// The commit that it was built from, or "unknown".
  package let revision: String
  /// How it was compiled: debug or release.
  package let mode: String

  package init(version: String, revision: String, mode: String) {
    self.version = version
    self.revision = revision
    self.mode = mode
  }
}
