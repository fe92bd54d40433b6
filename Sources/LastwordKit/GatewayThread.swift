import Gateway
import LibUV

/// Owns a gateway's thread from its start to its end.
final class GatewayThread: Sendable {
  private let plan: ServerPlan
  private let ready = OneShot<Result<[String], GatewayError>>()
  private let ended = OneShot<Void>()
  private let stopping = StopRequest()

  init(_ plan: ServerPlan) { self.plan = plan }

  /// Makes `run` drain and return. May be called from any thread.
  func stop() { stopping.make() }

  nonisolated(nonsending) func run(
    onReady: (_ addresses: [String]) async -> Void
  ) async -> Result<Void, GatewayError> {
    let thread: LoopThread
    do throws(UVError) {
      thread = try LoopThread { self.serve() }
    } catch {
      return .failure(.cannotStart(error))
    }
    let outcome = await ready.value()
    if case .success(let addresses) = outcome { await onReady(addresses) }
    await ended.value()
    // The thread has nothing left to do, so this does not block for long.
    thread.join()
    return outcome.map { _ in }
  }

  private func serve() {
    do throws(GatewayError) {
      let run = try ServerRun(plan, until: stopping)
      ready.fulfil(.success(run.addresses))
      run.run()
    } catch {
      ready.fulfil(.failure(error))
    }
    ended.fulfil(())
  }
}
