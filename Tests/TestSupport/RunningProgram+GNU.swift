import Glibc

extension RunningProgram {
  /// What the C library has and its headers keep from all who do not ask for what is GNU's own.
  enum GNU {
    static func pipe2(_ descriptors: UnsafeMutablePointer<Int32>, _ flags: Int32) -> Int32 {
      typealias Function = @convention(c) (UnsafeMutablePointer<Int32>, Int32) -> Int32
      return function("pipe2", as: Function.self)(descriptors, flags)
    }

    /// Has the child close all descriptors from one on.
    static func addCloseFrom(_ actions: inout posix_spawn_file_actions_t, _ first: Int32) {
      typealias Function = @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32
      _ = function("posix_spawn_file_actions_addclosefrom_np", as: Function.self)(&actions, first)
    }

    /// Opens a terminal: the side of who reads it, and the other; `name` takes that one's file's.
    static func openpty(
      _ reading: UnsafeMutablePointer<Int32>, _ writing: UnsafeMutablePointer<Int32>,
      _ name: UnsafeMutablePointer<CChar>
    ) -> Int32 {
      typealias Descriptor = UnsafeMutablePointer<Int32>
      typealias Text = UnsafeMutablePointer<CChar>
      typealias Function =
        @convention(c) (Descriptor, Descriptor, Text, OpaquePointer?, OpaquePointer?) -> Int32
      return function("openpty", as: Function.self)(reading, writing, name, nil, nil)
    }

    /// - Parameter type: as C declares it.
    private static func function<Function>(_ name: String, as type: Function.Type) -> Function {
      guard let address = dlsym(nil, name) else { preconditionFailure("the C library has no \(name)") }
      return unsafeBitCast(address, to: type)
    }
  }
}
