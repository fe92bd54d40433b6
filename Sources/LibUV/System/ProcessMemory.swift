import CLibUV

/// The memory of the whole process.
package enum ProcessMemory {
  /// Gives free pages back to the system. The allocator alone keeps those that lie between memory in use.
  package static func trim() { malloc_trim(0) }

  /// From now on no core dump of this process is written, and only those who may do everything look into it, as
  /// debuggers do. Programs that it starts are as they would be.
  package static func hide() { _ = clibuv_set_dumpable(0) }

  /// Whether it is hidden, by this process or by how it was started.
  package static var isHidden: Bool { clibuv_is_dumpable() != 1 }

  /// Keeps what is freed for what is allocated next, until `trim()` or until it is a lot: to take pages from the system,
  /// and to give them back, is most of the work where large buffers come and go.
  package static func keepFreed() {
    mallopt(M_MMAP_THRESHOLD, separateBytes)
    mallopt(M_TRIM_THRESHOLD, keptBytes)
  }

  /// Only larger buffers have pages of their own: the most that the allocator takes here.
  private static let separateBytes: Int32 = 32 * 1024 * 1024
  private static let keptBytes: Int32 = 256 * 1024 * 1024
}
