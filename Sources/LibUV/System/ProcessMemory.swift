import CLibUV

/// The memory of the whole process.
package enum ProcessMemory {
  /// Gives free pages back to the system. By itself the allocator keeps those between memory in use.
  package static func trim() { malloc_trim(0) }

  /// Disables core dumps of this process, and keeps debuggers of all users but root out of it. Programs that it starts
  /// are not affected.
  package static func hide() { _ = clibuv_set_dumpable(0) }

  /// Whether the process is hidden, by this call or by the way it was started.
  package static var isHidden: Bool { clibuv_is_dumpable() != 1 }

  /// Keeps freed memory for later allocations, until `trim()` or until it is a lot. Where large buffers come and go,
  /// taking pages from the system and giving them back is most of the work.
  package static func keepFreed() {
    mallopt(M_MMAP_THRESHOLD, separateBytes)
    mallopt(M_TRIM_THRESHOLD, keptBytes)
  }

  /// Buffers larger than this have pages of their own. It is the largest value that the allocator takes.
  private static let separateBytes: Int32 = 32 * 1024 * 1024
  private static let keptBytes: Int32 = 256 * 1024 * 1024
}
