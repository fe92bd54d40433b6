/// How much of a directory tree a corpus may hold.
package struct CorpusBounds: Hashable, Sendable {
  /// Files that are held, by name at least.
  package var files = 100_000
  /// Bytes of one file's text; the rest of a longer one is left out.
  package var fileBytes = 1 << 20
  /// Bytes of names and text together.
  package var totalBytes = 128 << 20
  /// Directories below the one that is loaded.
  package var depth = 32

  package init() {}
}
