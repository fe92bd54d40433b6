import JSONRPC
import Testing
import Upstreams

@testable import Demo

@Suite struct DemoHandlerTests {
  let handler = DemoHandler(FileSearch(Corpus(["hello.txt": "hello world"])))

  func ask(_ method: String, _ params: String = "", of handler: DemoHandler? = nil) async throws -> String {
    let request = HandlerRequest(method: Array(method.utf8), params: Array(params.utf8))
    return String(decoding: try await (handler ?? self.handler).answer(request), as: UTF8.self)
  }

  @Test func `echo answers its params as they came`() async throws {
    #expect(try await ask("echo", #"[1.0,{"a" : 1e2}]"#) == #"[1.0,{"a" : 1e2}]"#)
    #expect(try await ask("echo") == "null")
  }

  @Test func `sleep answers its params`() async throws {
    #expect(try await ask("sleep", #"{"q":"x","ms":0}"#) == #"{"q":"x","ms":0}"#)
  }

  @Test(arguments: ["", "[0]", "{}", #"{"ms":-1}"#, #"{"ms":60001}"#, #"{"ms":1.0}"#, #"{"ms":"1"}"#])
  func `sleep refuses what is no duration it knows`(params: String) async {
    await #expect { try await ask("sleep", params) } throws: { ($0 as? RPCError)?.code == -32602 }
  }

  @Test func `search answers with what it found`() async throws {
    let answer = try await ask("search", #"{"limit":1,"q":"w\u006frl"}"#)
    #expect(answer.hasPrefix(#"{"query":"worl","files":1,"matches":1,"tookMs":"#))
    #expect(answer.hasSuffix(#""top":[{"path":"hello.txt","line":1,"text":"hello world"}]}"#))
  }

  @Test(arguments: ["", "[]", "{}", #"{"q":1}"#, #"{"q":""}"#, #"{"q":"\ud800"}"#, #"{"q":"a\nb"}"#])
  func `search refuses what is no query`(params: String) async {
    await #expect { try await ask("search", params) } throws: { ($0 as? RPCError)?.code == -32602 }
  }

  @Test func `an unknown method is told`() async {
    await #expect(throws: RPCError.methodNotFound) { try await ask("find") }
  }

  @Test(arguments: [("sleep", #"{"ms":60000}"#), ("search", #"{"q":"a"}"#)])
  func `what is cancelled ends, and is counted`(method: String, params: String) async throws {
    let text = String(repeating: "a line of the text\n", count: FileSearch.sliceBytes / 16)
    let handler = DemoHandler(FileSearch(Corpus(["1": text, "2": text])))
    let task = cancelledTask { try await ask(method, params, of: handler) }
    await #expect(throws: CancellationError.self) { try await task.value }
    let counters = handler.counters.snapshot
    #expect(counters.started == 1 && counters.cancelled == 1)
  }

  @Test(arguments: [("sleep", #"{"ms":1}"#), ("search", #"{"q":"a"}"#)])
  func `a handler that ignores cancellation answers all the same`(method: String, params: String) async throws
  {
    let text = String(repeating: "a line of the text\n", count: FileSearch.sliceBytes / 16)
    let stubborn = DemoHandler(FileSearch(Corpus(["1": text, "2": text])), ignoresCancellation: true)
    let task = cancelledTask { try await ask(method, params, of: stubborn) }
    #expect(try await !task.value.isEmpty)
    #expect(stubborn.counters.snapshot.cancelled == 0)
  }

  /// A task that does its work when it has been cancelled, and not before.
  private func cancelledTask(_ work: @escaping @Sendable () async throws -> String) -> Task<String, any Error>
  {
    let task = Task {
      try? await Task.sleep(for: .seconds(600))
      return try await work()
    }
    task.cancel()
    return task
  }

  @Test func `a directory is loaded when the first search comes`() async throws {
    let tree = try FileTree()
    let lazy = DemoHandler(directory: tree.path)
    try tree.add("late.txt", "here after all")
    #expect(try await ask("search", #"{"q":"after"}"#, of: lazy).contains("late.txt"))
    let missing = DemoHandler(directory: "/nowhere/at/all")
    await #expect { try await ask("search", #"{"q":"a"}"#, of: missing) } throws: {
      ($0 as? RPCError)?.message == "/nowhere/at/all: No such file or directory"
    }
  }
}
