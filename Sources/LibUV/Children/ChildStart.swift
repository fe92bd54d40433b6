import CLibUV
import Glibc

/// The arguments for starting a child, in the form that libuv takes.
struct ChildStart {
  private let arguments: CStringList
  private let environment: CStringList
  private let directory: CStringList?

  /// - Throws: `EINVAL` when there is no program, a variable has no name, or something holds a NUL.
  init(
    _ arguments: [String], directory: String?, environment: [String], _ inherited: InheritedVariables
  ) throws(UVError) {
    let texts = arguments + environment + (directory.map { [$0] } ?? [])
    guard !arguments.isEmpty, environment.allSatisfy(Self.hasName), !texts.contains(where: Self.hasNUL) else {
      throw UVError(code: UV_EINVAL.rawValue)
    }
    self.arguments = CStringList(arguments)
    self.environment = .environment(with: environment, inherited)
    self.directory = directory.map { CStringList([$0]) }
  }

  private static func hasNUL(_ text: String) -> Bool { text.utf8.contains(0) }

  private static func hasName(_ setting: String) -> Bool {
    setting.utf8.firstIndex(of: UInt8(ascii: "=")).map { $0 > setting.startIndex } ?? false
  }

  /// libuv takes the handle in any case: whether or not the child could be started, it has to be closed.
  func spawn(
    _ process: UnsafeMutablePointer<uv_process_t>, on loop: EventLoop, _ stdio: [uv_stdio_container_t],
    onExit: uv_exit_cb
  ) -> Int32 {
    Self.keepDescriptorsFromChildren()
    DescriptorLimit.keepFromChildren()
    var options = uv_process_options_t()
    options.exit_cb = onExit
    // The child gets a session and a group of its own: its own children can be signalled with it, and no terminal
    // signals it.
    options.flags = UInt32(UV_PROCESS_DETACHED.rawValue)
    var stdio = stdio
    return withExtendedLifetime((arguments, environment, directory)) {
      stdio.withUnsafeMutableBufferPointer { stdio in
        options.file = UnsafePointer(arguments.pointers.pointee)
        options.args = arguments.pointers
        options.env = environment.pointers
        options.cwd = UnsafePointer(directory?.pointers.pointee)
        options.stdio = stdio.baseAddress
        options.stdio_count = Int32(stdio.count)
        return uv_spawn(loop.raw, process, &options)
      }
    }
  }

  /// Marks all descriptors to be closed in children. libuv marks those that it opens; others, such as those that this
  /// process was started with, may not be.
  private static func keepDescriptorsFromChildren() {
    _ = close_range(UInt32(STDERR_FILENO) + 1, .max, Int32(CLIBUV_CLOSE_RANGE_CLOEXEC))
  }
}
