import LastwordKit
import Testing

/// Mistakes of the program that embeds a gateway end it, before anything runs.
@Suite struct RegistrationTests {
  @Test func `a method cannot be registered twice`() async {
    await #expect(processExitsWith: .failure) {
      var gateway = Gateway()
      gateway.handle("search") { (request: Request) in request.params }
      gateway.forward("search", to: "127.0.0.1:1")
    }
  }

  @Test func `methods whose names only look alike are two`() {
    var gateway = Gateway()
    gateway.handle("\u{e9}") { (request: Request) in request.params }
    gateway.handle("e\u{301}") { (request: Request) in request.params }
  }

  @Test(arguments: ["lastword.ping", "rpc.discover", "$/cancelRequest", "", "a*", "*"])
  func `a handler's method is one, and not the gateway's own`(method: String) async {
    await #expect(processExitsWith: .failure) { [method] in
      var gateway = Gateway()
      gateway.handle(method) { (request: Request) in request.params }
    }
  }

  @Test func `a key is a JSON Pointer`() async {
    await #expect(processExitsWith: .failure) {
      var gateway = Gateway()
      gateway.handle("search", key: "box") { (request: Request) in request.params }
    }
  }

  @Test func `a burst may last longer than a pause in it`() async {
    await #expect(processExitsWith: .failure) {
      var options = MethodOptions()
      options.debounce = .milliseconds(50)
      options.maxWait = .milliseconds(50)
      var gateway = Gateway()
      gateway.handle("search", key: "/box", options: options) { (request: Request) in request.params }
    }
  }

  @Test func `only policies that can share take what is shared`() async {
    await #expect(processExitsWith: .failure) {
      var options = MethodOptions()
      options.joining = .always
      var gateway = Gateway()
      gateway.handle("search", key: "/box", policy: .wait, options: options) { (request: Request) in
        request.params
      }
    }
  }

  @Test func `bounds have bounds`() async {
    await #expect(processExitsWith: .failure) {
      var options = GatewayOptions()
      options.runningRequests = 0
      _ = Gateway(options: options)
    }
    await #expect(processExitsWith: .failure) {
      var options = GatewayOptions()
      options.runningRequests = 2
      options.runningRequestsPerConnection = 3
      _ = Gateway(options: options)
    }
    await #expect(processExitsWith: .failure) {
      var options = GatewayOptions()
      options.drain = .seconds(3601)
      _ = Gateway(options: options)
    }
  }
}
