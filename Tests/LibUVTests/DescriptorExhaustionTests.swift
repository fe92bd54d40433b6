import Glibc
import LibUV
import Testing

@Suite struct DescriptorExhaustionTests {
  /// In a process of its own, because the limit is the process's.
  @Test func `out of descriptors, a listener waits, keeps those who wait, and goes on`() async {
    await #expect(processExitsWith: .success) {
      let scene = try Scene()
      var served = 0
      var failures: [UVError] = []
      let clientCount = 8
      let listener = try scene.listen { stream in
        served += 1
        let recorder = scene.hear(stream)
        recorder.stream.write("!")
        if served == clientCount { scene.end() }
      }
      let clients = try (0..<clientCount).map { _ in try PlainClient(listener.address) }
      let hoard = Hoard(leaving: 3)
      listener.onAcceptFailure = { error in
        failures.append(error)
        guard failures.count == 1 else { return }
        scene.after(milliseconds: Listener.retryMilliseconds * 5 / 2) {
          precondition(served == 3, "three descriptors were left")
          precondition((2...4).contains(failures.count), "it spins: \(failures.count) tries")
          hoard.release()
        }
      }
      scene.run()
      precondition(served == clientCount, "only \(served) were served")
      precondition(failures.allSatisfy { $0.name == "EMFILE" })
      for client in clients { precondition(client.hearsGreeting(), "a waiting connection was lost") }
    }
  }
}

/// A blocking socket that needs no loop.
private struct PlainClient {
  private let descriptor: Int32

  init(_ address: SocketAddress) throws {
    guard case .tcp(_, let port) = address else { throw UVError(code: -EINVAL) }
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var raw = sockaddr_in()
    raw.sin_family = sa_family_t(AF_INET)
    raw.sin_port = port.bigEndian
    raw.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    let status = withUnsafePointer(to: raw) {
      connect(
        descriptor, UnsafeRawPointer($0).assumingMemoryBound(to: sockaddr.self),
        socklen_t(MemoryLayout<sockaddr_in>.size))
    }
    guard status == 0 else { throw UVError(code: -errno) }
  }

  func hearsGreeting() -> Bool {
    var byte: UInt8 = 0
    return recv(descriptor, &byte, 1, 0) == 1
  }
}

/// Takes all descriptors of a lowered limit but a few.
private final class Hoard {
  private var descriptors: [Int32] = []

  init(leaving count: Int) {
    var limit = rlimit(rlim_cur: 128, rlim_max: 128)
    precondition(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
    while true {
      let descriptor = open("/dev/null", O_RDONLY)
      guard descriptor >= 0 else { break }
      descriptors.append(descriptor)
    }
    precondition(errno == EMFILE && descriptors.count > count)
    for _ in 0..<count { close(descriptors.removeLast()) }
  }

  func release() {
    for descriptor in descriptors { close(descriptor) }
    descriptors = []
  }
}
