import Admin
import CBuildInformation
import LibUV
import TLS
import Upstreams

/// The text of `lastword --version`: this program, what it was built with, and what it runs on.
enum Build {
  static let name = BuildName(
    version: "0.1.0", revision: unsafe String(cString: lastword_revision()), mode: mode)

  #if DEBUG
  private static let mode = "debug"
  #else
  private static let mode = "release"
  #endif

  #if HTTPUpstreams && TLS
  private static let traits = "HTTPUpstreams, TLS"
  #elseif HTTPUpstreams
  private static let traits = "HTTPUpstreams"
  #elseif TLS
  private static let traits = "TLS"
  #else
  private static let traits = "none"
  #endif

  /// The versions that a fault report needs; programs may read the first line, which stays as it is.
  static var text: String {
    """
    lastword \(name.version)
    revision: \(name.revision)
    build: \(mode), traits: \(traits)
    swift: library \(_SwiftStdlibVersion.current)
    libuv: \(library(built: LibraryVersion.built, running: LibraryVersion.running))
    libcurl: \(library(built: HTTPLibraryVersion.built, running: HTTPLibraryVersion.running))
    openssl: \(library(built: TLSLibrary.built, running: TLSLibrary.running))
    system: \(system)
    """
  }

  private static func library(built: String?, running: String?) -> String {
    guard let built else { return "none" }
    let running = running ?? "unknown"
    return built == running ? built : "\(running), built with \(built)"
  }

  private static var system: String {
    // The text belongs to the library.
    let library = unsafe String(cString: lastword_c_library())
    guard let system = SystemName.current else { return "C library \(library)" }
    return "\(system.name) \(system.release), \(system.machine), C library \(library)"
  }
}
