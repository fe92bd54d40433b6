import CLibUV

/// The memory of the whole process.
package enum ProcessMemory {
  /// Gives free pages back to the system. The allocator alone keeps those that lie between memory in use.
  package static func trim() { malloc_trim(0) }
}
