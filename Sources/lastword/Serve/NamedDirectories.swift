import Configuration
import Glibc

/// Checks that the directories that a configuration names exist and may be entered.
struct NamedDirectories {
  /// Why a program cannot be started in a directory.
  struct Fault: Error {
    let reason: String
    let isDenied: Bool

    fileprivate init(_ code: Int32) {
      reason = unsafe String(cString: strerror(code))
      isDenied = [EACCES, EPERM].contains(code)
    }
  }

  /// - Throws: every mistake, each with its place in the configuration.
  static func check(_ settings: FileConfiguration) throws(ConfigLoading.Failure) {
    var complaints: [Complaint] = []
    var isDenied = false
    for section in settings.upstreams {
      guard let path = section.values.directory?.description, let fault = fault(path) else { continue }
      complaints.append(
        Complaint(section.origin(of: "directory"), "'directory': \(path) cannot be entered: \(fault.reason)"))
      isDenied = isDenied || fault.isDenied
    }
    guard complaints.isEmpty else {
      throw ConfigLoading.Failure(
        complaints: complaints.map(\.description), status: isDenied ? EX_NOPERM : EX_CONFIG)
    }
  }

  /// Why a path is no directory that may be entered; nil: it is one.
  static func fault(_ path: String) -> Fault? {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return Fault(errno) }
    guard status.st_mode & S_IFMT == S_IFDIR else { return Fault(ENOTDIR) }
    return unsafe access(path, X_OK) == 0 ? nil : Fault(errno)
  }
}
