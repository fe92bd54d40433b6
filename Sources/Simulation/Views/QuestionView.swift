/// What an upstream of a client's own asked, as the oracle sees it.
struct QuestionView {
  var question = Question(number: 0, .notification)
  var link = -1
  /// The number under which its client was asked; 0: it was not.
  var given = 0
  /// Its answer is awaited.
  var isOpen = false
}
