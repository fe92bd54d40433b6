import Synchronization

/// Has the search ready, or loads it when it is first asked for: once, however many ask.
final class SearchSource: Sendable {
  private enum State: Sendable {
    case unasked(directory: String)
    case asked(Task<FileSearch, any Error>)
  }
  private let state: Mutex<State>

  init(_ search: FileSearch) { state = Mutex(.asked(Task { search })) }
  init(directory: String) { state = Mutex(.unasked(directory: directory)) }

  var search: FileSearch {
    get async throws { try await loading.value }
  }

  private var loading: Task<FileSearch, any Error> {
    state.withLock { state in
      switch state {
      case .asked(let loading):
        return loading
      case .unasked(let directory):
        // Not a child of the request that came first: cancelling that must not end the others' loading.
        let loading = Task { try FileSearch.load(directory) }
        state = .asked(loading)
        return loading
      }
    }
  }
}
