import Addresses
import Glibc
import LibUV
import LoadTest

/// Owns the servers of a load run without an address: a gateway, and the bundled upstream behind it.
final class LoadServers {
  private static let graceMilliseconds: UInt64 = 3_000
  private static let startMilliseconds: UInt64 = 30_000
  private static let listening = "Listening for JSON-RPC on "

  private(set) var upstreamAddress: SocketAddress?
  private(set) var gatewayAddress: SocketAddress?
  private let loop: EventLoop
  private let program: String
  private let seed: UInt64
  private var upstream: ServerChild?
  private var gateway: ServerChild?
  private var timeout: LoopTimer?
  private var onReady: (() -> Void)?
  private let onFailure: (String) -> Void

  /// - Parameter onFailure: called with the reason if one of them does not start, or ends.
  init(
    _ behaviour: UpstreamBehaviour, seed: UInt64, on loop: EventLoop, onReady: @escaping () -> Void,
    onFailure: @escaping (String) -> Void
  ) throws(UVError) {
    self.loop = loop
    self.seed = seed
    self.onReady = onReady
    self.onFailure = onFailure
    program = Self.ownPath
    let timeout = LoopTimer(on: loop) { onFailure("the gateway did not start in time") }
    timeout.start(afterMilliseconds: Self.startMilliseconds)
    self.timeout = timeout
    do throws(UVError) {
      try startUpstream(behaviour)
    } catch {
      timeout.close()
      throw error
    }
  }

  private func startUpstream(_ behaviour: UpstreamBehaviour) throws(UVError) {
    upstream = try start(
      "upstream",
      ["load", "upstream", "--behaviour", "\(behaviour)", "--seed", "\(seed)"]
    ) { [unowned self] in self.upstreamSaid($0) }
  }

  /// The path of this program, whatever name it was started by.
  private static var ownPath: String {
    var path = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = unsafe path.withUnsafeMutableBytes { buffer in
      // The buffer outlives the call, which writes at most as many bytes as fit.
      unsafe readlink("/proc/self/exe", buffer.baseAddress!.assumingMemoryBound(to: CChar.self), buffer.count)
    }
    return count > 0 ? String(decoding: path[..<count], as: UTF8.self) : CommandLine.arguments[0]
  }

  private func start(
    _ name: String, _ arguments: [String], onLine: @escaping (String) -> Void
  ) throws(UVError) -> ServerChild {
    // The server ends with its standard input, and so with this process, however that ends.
    try ServerChild(
      [program] + arguments + ["--until-end-of-input"], on: loop, onLine: onLine,
      onExit: { [unowned self] in self.onFailure("the \(name) \($0)") })
  }

  private func upstreamSaid(_ line: String) {
    guard upstreamAddress == nil, let address = SocketAddress(parsing: line) else { return }
    upstreamAddress = address
    let arguments = [
      "serve", "--listen", "127.0.0.1:0", "--upstream", "tcp:\(address)", "--seed", "\(seed)",
      "--log-format", "text",
    ]
    do throws(UVError) {
      gateway = try start("gateway", arguments) { [unowned self] in self.gatewaySaid($0) }
    } catch {
      onFailure("the gateway could not be started: \(error)")
    }
  }

  private func gatewaySaid(_ line: String) {
    if let place = line.firstRange(of: Self.listening) {
      gatewayAddress = SocketAddress(parsing: String(line[place.upperBound...]))
    }
    guard gatewayAddress != nil, line.contains("upstream connected") else { return }
    timeout?.close()
    let onReady = onReady
    self.onReady = nil
    onReady?()
  }

  /// Stops the servers; the loop ends with them.
  func stop() {
    timeout?.close()
    gateway?.stop(graceMilliseconds: Self.graceMilliseconds)
    upstream?.stop(graceMilliseconds: Self.graceMilliseconds)
  }
}

@available(*, unavailable)
extension LoadServers: Sendable {}
