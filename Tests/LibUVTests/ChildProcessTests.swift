import Glibc
import LibUV
import Testing

@Suite struct ChildProcessTests {
  @Test func `what is written to a child it reads, and what it writes is read`() throws {
    let child = try RunningChild.run(["cat"]) { _, child in
      child.process.input.write("hello")
      child.output.onReceived = { child.process.input.close() }
    }
    #expect(child.output.text == "hello" && child.errors.text == "")
    #expect(child.exits == [.exited(status: 0)])
  }

  @Test func `its errors are apart from its output, also when it opens them as files`() throws {
    let child = try RunningChild.shell("echo out; echo error >&2; echo file >/dev/stderr; exit 3")
    #expect(child.output.text == "out\n")
    #expect(child.errors.text == "error\nfile\n")
    #expect(child.exits == [.exited(status: 3)])
  }

  @Test func `it runs where it is told to, with what it is told`() throws {
    let directory = try TemporaryDirectory()
    let child = try RunningChild.shell(
      "pwd; echo $LASTWORD_TEST; echo $HOME; test -n \"$PATH\"", directory: directory.path,
      environment: ["LASTWORD_TEST=a=b c", "HOME=/nowhere"])
    #expect(child.output.text == "\(directory.path)\na=b c\n/nowhere\n")
    #expect(child.exits == [.exited(status: 0)])
  }

  @Test func `an empty value is a value, and a name is no beginning of another`() throws {
    let child = try RunningChild.shell(
      "echo ${HOME-unset} ${PATH:+set}", environment: ["HOME=", "PAT=x", "PATHS=y"])
    #expect(child.output.text == "set\n" || child.output.text == " set\n")
  }

  @Test func `it has default signals, whatever is ignored or blocked here`() throws {
    var blocked = sigset_t()
    sigemptyset(&blocked)
    sigaddset(&blocked, SIGUSR1)
    var before = sigset_t()
    pthread_sigmask(SIG_BLOCK, &blocked, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    let child = try RunningChild.run(["cat", "/proc/self/status"])
    for title in ["SigBlk:\t", "SigIgn:\t", "SigCgt:\t"] {
      let mask = child.output.text.firstRange(of: title).flatMap {
        UInt64(child.output.text[$0.upperBound...].prefix(16), radix: 16)
      }
      // Above are those of the C library, which lets nobody touch them.
      #expect(mask.map { $0 & 0x7FFF_FFFF } == 0, "\(title)")
    }
  }

  @Test func `it leads a group and a session of its own`() throws {
    let child = try RunningChild.run(["cat", "/proc/self/stat"])
    let fields = child.output.text.split(separator: " ")
    #expect(fields[0] == fields[4] && fields[0] == fields[5])
  }

  @Test func `no descriptor but its streams is open in it`() throws {
    let scene = try Scene()
    let listener = try scene.listen { scene.hear($0) }
    scene.connect(to: listener.address) { scene.hear($0) }
    // As one that this process was started with would be.
    let inheritable = open("/dev/null", O_RDONLY)
    scene.atEnd { close(inheritable) }
    let other = try RunningChild(["cat"], in: scene)
    let child = try RunningChild(["ls", "/proc/self/fd"], in: scene)
    child.endsScene(scene)
    scene.run()
    // The last one is the directory that it reads.
    #expect(child.output.text == "0\n1\n2\n3\n")
    #expect(other.exits == [.killed(signal: SIGKILL)])
  }

  @Test func `what cannot be started is an error that says why`() throws {
    let scene = try Scene()
    let directory = try TemporaryDirectory()
    func error(_ arguments: [String], directory: String? = nil, environment: [String] = []) -> String? {
      do {
        _ = try RunningChild(arguments, directory: directory, environment: environment, in: scene)
        return nil
      } catch {
        return (error as? UVError)?.name
      }
    }
    #expect(error(["lastword-no-such-program"]) == "ENOENT")
    #expect(error(["/lastword/no/such/program"]) == "ENOENT")
    #expect(error([""]) == "ENOENT")
    #expect(error(["cat"], environment: ["PATH=/lastword/no/such/directory"]) == "ENOENT")
    #expect(error(["cat"], directory: "\(directory.path)/none") == "ENOENT")
    #expect(error(["cat"], directory: "/dev/null") == "ENOTDIR")
    #expect(error([directory.path]) == "EACCES")
    #expect(error([]) == "EINVAL")
    #expect(error(["cat", "a\0b"]) == "EINVAL")
    #expect(error(["cat"], directory: "a\0b") == "EINVAL")
    #expect(error(["cat"], environment: ["A=a\0b"]) == "EINVAL")
    #expect(error(["cat"], environment: ["A"]) == "EINVAL")
    #expect(error(["cat"], environment: ["=a"]) == "EINVAL")
    scene.end()
    scene.run()
  }

  @Test func `a write to a child that has exited fails and ends nobody`() throws {
    let child = try RunningChild.shell("exit 0") { scene, child in
      let input = scene.hear(child.process.input, reading: false)
      input.onFailed = {
        #expect(input.failures.map(\.name) == ["EPIPE"])
        scene.end()
      }
      // What another test is just starting has a copy of the pipe's other end for a moment.
      func writeUntilItFails() {
        child.process.input.write("anybody there?")
        scene.after(milliseconds: 1) { writeUntilItFails() }
      }
      child.onExit = { writeUntilItFails() }
      child.output.onEnded = {}
      child.errors.onEnded = {}
    }
    #expect(child.exits == [.exited(status: 0)])
  }
}
