/// Requests that came in one array: their answers leave in one, too.
struct Batch {
  let client: Int
  /// Answers that are still to come, and one more while the array is being read.
  var awaited = 1
  /// The answers so far, with commas between them.
  var answers: [UInt8] = []
  /// An answer did not fit: it, and every later one, says so instead.
  var isFull = false
}
