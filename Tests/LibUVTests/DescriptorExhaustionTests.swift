import Addresses
import Glibc
import LibUV
import TestSupport
import Testing

@Suite struct DescriptorExhaustionTests {
  /// In a process of its own, because the limit is the process's.
  @Test func `out of descriptors, a listener waits, keeps those who wait, and goes on`() async {
    await #expect(processExitsWith: .success) {
      try await untilDispatchHasItsDescriptors()
      let scene = try Scene()
      let crowd = try Crowd(of: 8, in: scene)
      var failures: [UVError] = []
      let hoard = Hoard(leaving: Listener.spareDescriptors + 4)
      var firstFailure: UInt64 = 0
      crowd.listener.onAcceptFailure = { error in
        failures.append(error)
        if failures.count == 1 { firstFailure = scene.loop.nowMilliseconds }
        guard failures.count == 3 else { return }
        // libuv and the test's runner may have taken some of those that were left.
        precondition((1..<crowd.size).contains(crowd.served), "descriptors were left for some, not for all")
        let waited = scene.loop.nowMilliseconds - firstFailure
        precondition(waited >= 2 * Listener.retryMilliseconds, "it spins")
        hoard.release()
      }
      scene.run()
      crowd.requireAllServed()
      precondition(failures.allSatisfy { $0.name == "EMFILE" })
    }
  }

  @Test func `whoever connects, some descriptors are left for the rest of the program`() async {
    await #expect(processExitsWith: .success) {
      try await untilDispatchHasItsDescriptors()
      let others = Hoard(leaving: 100)
      let scene = try Scene()
      let crowd = try Crowd(of: 32, in: scene)
      let hoard = Hoard(leaving: 24)
      var pauses = 0
      crowd.listener.onAcceptFailure = { error in
        pauses += 1
        precondition(error.name == "EMFILE" && crowd.served < crowd.size)
        // The runner may have taken one or the other.
        precondition(DescriptorLimit.hasFree(Listener.spareDescriptors - 2), "none are left")
        if pauses == 3 { hoard.release() }
      }
      scene.run()
      precondition(pauses >= 3)
      crowd.requireAllServed()
      others.release()
    }
  }

  @Test func `what is free is known exactly, and nothing is taken to know it`() async {
    await #expect(processExitsWith: .success) {
      try await untilDispatchHasItsDescriptors()
      let hoard = Hoard(leaving: 5)
      precondition(DescriptorLimit.hasFree(5) && DescriptorLimit.hasFree(5))
      precondition(!DescriptorLimit.hasFree(6))
      hoard.release()
      precondition(DescriptorLimit.hasFree(6))
    }
  }
}

/// Clients that all wait for a listener, which greets each and ends the scene behind the last.
private final class Crowd {
  let size: Int
  let listener: Listener
  private let clients: [PlainClient]
  private let count: Count
  var served: Int { count.value }

  private final class Count { var value = 0 }

  init(of size: Int, in scene: Scene) throws {
    self.size = size
    let count = Count()
    self.count = count
    let listener = try scene.listen { stream in
      count.value += 1
      scene.hear(stream).stream.write("!")
      if count.value == size { scene.end() }
    }
    self.listener = listener
    clients = try (0..<size).map { _ in try PlainClient(listener.address) }
  }

  func requireAllServed() {
    precondition(served == size, "only \(served) were served")
    for client in clients { precondition(client.hearsGreeting(), "a waiting connection was lost") }
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
