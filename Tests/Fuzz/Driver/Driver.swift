import FuzzTargets
import Glibc

@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
  _ count: UnsafeMutablePointer<CInt>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
  _ test: @convention(c) (UnsafePointer<UInt8>, Int) -> CInt
) -> CInt

/// The package manager gives the program's entry this name; the fuzzing library is told what to run.
@_cdecl("Fuzz_main")
func fuzzMain(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
  var count = count
  var arguments = arguments
  return runDriver(&count, &arguments) { bytes, length in
    check(Array(UnsafeBufferPointer(start: bytes, count: length)))
    return 0
  }
}

private let target = getenv("LASTWORD_FUZZ_TARGET").map { String(cString: $0) } ?? ""

private func check(_ input: [UInt8]) {
  do throws(Violation) {
    if let target = FuzzTarget(rawValue: target) {
      try target.check(input)
    } else {
      try OracleCheck(input).run()
    }
  } catch {
    fatalError(error.description)
  }
}
