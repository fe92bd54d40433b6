import Glibc

/// Takes all memory that the process may still get, so that every later allocation fails. For exit tests.
enum ExhaustedMemory {
  static func begin() {
    growStack()
    var limit = rlimit(rlim_cur: 0, rlim_max: .max)
    // A pointer to a local, for the call only.
    unsafe setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
    // Large pieces first, then what is left of each size, free lists included.
    takeAll(of: 1 << 20)
    takeAll(of: 1 << 16)
    for size in stride(from: 4096, to: 0, by: -8) { takeAll(of: size) }
  }

  private static func takeAll(of size: Int) {
    while unsafe malloc(size) != nil {}
  }

  /// The limit holds for the stack as well: this makes it as large as the test can need.
  @inline(never)
  private static func growStack() {
    let room = InlineArray<262_144, UInt8>(repeating: 0)
    withExtendedLifetime(room) {}
  }
}
