import JSONRPC

/// What an upstream has asked its client and was not answered, found by the number that the client sees and by the
/// upstream's own id.
struct OpenQuestions {
  private struct Question {
    let id: RequestID
    /// The numbers of those with the same id that came before and behind it and are open; 0: there is none.
    var older: UInt64
    var newer: UInt64 = 0
  }

  private var questions: [UInt64: Question] = [:]
  /// The newest number of each id, as that is compared.
  private var newestByID: [RequestID: UInt64] = [:]

  var count: Int { questions.count }

  /// - Parameter number: larger than those before.
  mutating func add(_ id: RequestID, as number: UInt64) {
    let older = newestByID.updateValue(number, forKey: id.plain) ?? 0
    questions[number] = Question(id: id, older: older)
    if older > 0 { questions[older]?.newer = number }
  }

  /// The number of the newest with this id.
  func newest(withID id: ByteRange, in bytes: Span<UInt8>) -> UInt64? {
    newestByID[RequestID(id, in: bytes).plain]
  }

  mutating func remove(_ number: UInt64) -> RequestID? {
    guard let question = questions.removeValue(forKey: number) else { return nil }
    let (older, newer) = (question.older, question.newer)
    if older > 0 { questions[older]?.newer = newer }
    if newer > 0 {
      questions[newer]?.older = older
    } else if older > 0 {
      newestByID[question.id.plain] = older
    } else {
      newestByID.removeValue(forKey: question.id.plain)
    }
    return question.id
  }

  /// Returns their ids in their order.
  mutating func removeAll() -> [RequestID] {
    let inOrder = questions.sorted { $0.key < $1.key }
    self = OpenQuestions()
    return inOrder.map(\.value.id)
  }
}
