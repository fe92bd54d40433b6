import Testing

extension RunningGateway {
  /// What `/metrics` says at the moment: each sample by its name with its labels.
  package func metrics() throws -> [String: Double] {
    guard let adminAddress else { throw LineSocket.Failure(description: "there are no admin pages") }
    let socket = try LineSocket(adminAddress)
    let request = "GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    try socket.send(bytes: Array(request.utf8))
    var samples: [String: Double] = [:]
    while let line = try socket.receive() {
      guard !line.hasPrefix("#"), let space = line.lastIndex(of: " ") else { continue }
      samples[String(line[..<space])] = Double(line[line.index(after: space)...])
    }
    return samples
  }

  /// Invariant 10, by the gateway's own count; nothing if it has been ended.
  func checkSums() {
    guard adminAddress != nil, program.isRunning else { return }
    do {
      let samples = try metrics()
      let ended = samples.filter { $0.key.hasPrefix("lastword_requests_ended_total{") }
      let (admitted, open) = (samples["lastword_requests_admitted_total"], samples["lastword_requests_open"])
      guard let admitted, let open, ended.count == 7 else {
        // One that was told to end may do so before it has answered.
        if program.isRunning { Issue.record("the gateway's metrics are incomplete: \(samples.keys)") }
        return
      }
      #expect(admitted == ended.values.reduce(open, +), "requests do not add up: \(ended), \(open) open")
    } catch {
      if program.isRunning { Issue.record("the gateway's metrics cannot be read: \(error)") }
    }
  }
}
