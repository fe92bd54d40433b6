import Foundation

extension RunningProgram {
  /// Starts a program in a process group of its own, with these descriptors and no others, and no signal blocked or
  /// ignored; gives its process id.
  static func start(
    _ path: String, _ arguments: [String], _ environment: [String: String], input: PipeEnd?, output: PipeEnd,
    errors: PipeEnd
  ) throws -> Int32 {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    add(input: input, output: output, errors: errors, to: &actions)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    set(&attributes)

    let settings = inherited.merging(environment) { $1 }.map { "\($0)=\($1)" }
    var identifier: Int32 = 0
    let code = withCStrings([path] + arguments) { words in
      withCStrings(settings) { posix_spawn(&identifier, path, &actions, &attributes, words, $0) }
    }
    guard code == 0 else { throw LineSocket.Failure(description: "start \(path): errno \(code)") }
    return identifier
  }

  /// What the test has in its environment, without what tests are told there: the gateway would warn of it. How many loops
  /// it has is a setting.
  private static var inherited: [String: String] {
    ProcessInfo.processInfo.environment.filter { name, _ in
      !name.hasPrefix("LASTWORD_") || name == "LASTWORD_LOOPS"
    }
  }

  private static func add(
    input: PipeEnd?, output: PipeEnd, errors: PipeEnd, to actions: inout posix_spawn_file_actions_t
  ) {
    if let input {
      posix_spawn_file_actions_adddup2(&actions, input.descriptor, STDIN_FILENO)
    } else {
      posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    }
    posix_spawn_file_actions_adddup2(&actions, output.descriptor, STDOUT_FILENO)
    posix_spawn_file_actions_adddup2(&actions, errors.descriptor, STDERR_FILENO)
    // A test's sockets are not closed by themselves, and a peer would not hear of their end while a child has them.
    GNU.addCloseFrom(&actions, STDERR_FILENO + 1)
  }

  private static func set(_ attributes: inout posix_spawnattr_t) {
    // Tests run on threads that block many signals, and a child inherits what is blocked.
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP
    posix_spawnattr_setflags(&attributes, Int16(flags))
  }

  /// The strings as C programs are given them, null behind the last.
  private static func withCStrings<Result>(
    _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
  ) -> Result {
    let copies = strings.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    return body(copies + [nil])
  }
}
