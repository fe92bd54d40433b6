import Addresses
import Glibc
import LibUV
import Testing

@Suite struct SocketModeTests {
  /// In a process of its own, because the umask is the process's.
  @Test func `a Unix socket has the permissions that were asked for, whatever the umask`() async {
    await #expect(processExitsWith: .success) {
      let scene = try Scene()
      let directory = try TemporaryDirectory()
      for (number, mask) in [mode_t(0), 0o022, 0o077].enumerated() {
        umask(mask)
        for mode in [UInt32(0o600), 0o660, 0o666] {
          let path = "\(directory.path)/\(number)-\(mode)"
          let listener = try Listener(on: scene.loop, address: .unix(path: path), mode: mode) { _ in }
          scene.atEnd { listener.close() }
          var status = stat()
          precondition(lstat(path, &status) == 0 && status.st_mode & 0o777 == mode, "\(path)")
        }
      }
      scene.end()
      scene.run()
    }
  }
}
