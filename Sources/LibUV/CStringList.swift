import CLibUV
import Glibc

/// Owns a list of strings as C programs are given one: pointers, the last of which is null.
final class CStringList {
  /// Valid as long as this object.
  let pointers: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
  private let count: Int

  /// Takes over what `strdup` gave.
  private init(_ copies: [UnsafeMutablePointer<CChar>?]) {
    count = copies.count
    pointers = .allocate(capacity: count + 1)
    for (index, copy) in copies.enumerated() { (pointers + index).initialize(to: copy) }
    (pointers + count).initialize(to: nil)
  }

  deinit {
    for index in 0..<count { free(pointers[index]) }
    pointers.deallocate()
  }

  convenience init(_ strings: [String]) { self.init(strings.map { strdup($0) }) }

  /// What a service manager says to this process alone; a child must not answer in its place.
  private static let ownVariables = ["NOTIFY_SOCKET=", "WATCHDOG_USEC=", "WATCHDOG_PID="]

  /// This process's environment without what is its alone, in which `settings` ("NAME=VALUE") replace what has their
  /// names.
  static func environment(with settings: [String]) -> CStringList {
    let own = settings.map { strdup($0) }
    var all = own
    var next = clibuv_environment()
    while let variable = next?.pointee {
      let isReplaced = own.contains { isSameName($0, variable) }
      let isOwn = ownVariables.contains { strncmp($0, variable, $0.utf8.count) == 0 }
      if !isReplaced && !isOwn { all.append(strdup(variable)) }
      next = next?.successor()
    }
    return CStringList(all)
  }

  private static func isSameName(
    _ setting: UnsafeMutablePointer<CChar>?, _ variable: UnsafeMutablePointer<CChar>
  ) -> Bool {
    guard let setting else { return false }
    return strncmp(setting, variable, strcspn(setting, "=") + 1) == 0
  }
}
