import CLibUV
import Glibc

/// Owns a list of strings in the form of C: pointers, the last of which is null.
final class CStringList {
  /// Valid as long as this object.
  let pointers: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
  private let count: Int

  /// Takes over strings that `strdup` made.
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

  /// The environment of a child: this process's variables, in which `settings` ("NAME=VALUE") replace those of their
  /// names.
  static func environment(with settings: [String], _ inherited: InheritedVariables) -> CStringList {
    let own = settings.map { strdup($0) }
    var all = own
    var next = clibuv_environment()
    while let variable = next?.pointee {
      let isReplaced = own.contains { isSameName($0, variable) }
      if !isReplaced && inherited.contain(variable) { all.append(strdup(variable)) }
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
