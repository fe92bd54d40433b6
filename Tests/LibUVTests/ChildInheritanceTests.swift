import Glibc
import LibUV
import Testing

/// What a child has of this process; each in a process of its own, because it is the process's.
@Suite struct ChildInheritanceTests {
  @Test func `of the environment a child gets what programs need, and no secrets`() async {
    await #expect(processExitsWith: .success) {
      for name in [
        "API_KEY", "LC_TEST", "LCD", "XDG_TEST", "HOMES", "LANG", "TZ", "NOTIFY_SOCKET", "NOTIFY_SOCKETS",
      ] {
        setenv(name, "here", 1)
      }
      let say =
        "echo $API_KEY,$LC_TEST,$LCD,$XDG_TEST,$HOMES,$LANG,$TZ,$NOTIFY_SOCKET,$NOTIFY_SOCKETS,${PATH:+here}"
      let usual = try RunningChild.run(["sh", "-c", say], inherits: .usual)
      precondition(usual.output.text == ",here,,here,,here,here,,,here\n", usual.output.text)
      let all = try RunningChild.run(["sh", "-c", say], inherits: .all)
      precondition(all.output.text == "here,here,here,here,here,here,here,,here,here\n", all.output.text)
      let named = try RunningChild.run(
        ["sh", "-c", say], environment: ["API_KEY=x", "TZ=y"], inherits: .usual)
      precondition(named.output.text == "x,here,,here,,here,y,,,here\n", named.output.text)
    }
  }

  @Test func `memory that is hidden stays so, and is a child's own matter`() async {
    await #expect(processExitsWith: .success) {
      precondition(!ProcessMemory.isHidden)
      ProcessMemory.hide()
      precondition(ProcessMemory.isHidden)
      // What is hidden belongs to root.
      let child = try RunningChild.shell("[ $(stat -c %u /proc/self/status) = $(id -u) ] && echo open")
      precondition(child.output.text == "open\n", child.output.text)
      precondition(ProcessMemory.isHidden)
    }
  }

  @Test func `a child may open as many files as before this process allowed itself more`() async {
    await #expect(processExitsWith: .success) {
      var limit = rlimit()
      getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      let most = Int(limit.rlim_max)
      limit.rlim_cur = 300
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      for _ in 0..<2 { precondition(DescriptorLimit.raise() == most) }
      // With more open than the child may have.
      let hoard = (0..<400).map { _ in open("/dev/null", O_RDONLY | O_CLOEXEC) }
      precondition(hoard.allSatisfy { $0 >= 0 })
      let child = try RunningChild.shell("ulimit -Sn; ulimit -Hn")
      precondition(child.output.text == "300\n\(most)\n", child.output.text)
      precondition(DescriptorLimit.current == most)
    }
  }
}
