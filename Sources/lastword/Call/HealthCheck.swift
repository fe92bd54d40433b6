import Addresses
import Client
import Gateway
import JSONRPC
import LibUV
import TLSStreams

/// The request of `lastword health`, from connecting to the verdict.
final class HealthCheck {
  static let answerLimitBytes = 64 * 1024
  /// How much of the verdict is shown: container engines keep about as much.
  static let shownLimitBytes = 4 * 1024

  private(set) var isWell = false
  /// The line for people: what was asked, and the verdict.
  private(set) var line = ""
  private(set) var text = ""
  private let question: HealthQuestion
  private var answer: [UInt8] = []
  private var attempt: ConnectAttempt?
  private var stream: ByteStream?
  private var secureAttempt: SecureAttempt?
  private var secureStream: TLSStream?
  private var timer: LoopTimer?

  /// - Parameter terms: the client's TLS terms; nil: it connects without TLS.
  init(_ question: HealthQuestion, _ terms: TLSTerms?, timeoutMilliseconds: UInt64, on loop: EventLoop) {
    self.question = question
    if case .tcp(_, 0) = question.address {
      fail("its port is not known: the system chose it")
      return
    }
    timer = LoopTimer(on: loop) { [unowned self] in
      self.fail("no answer within \(timeoutMilliseconds) ms")
    }
    timer?.start(afterMilliseconds: timeoutMilliseconds)
    if let terms {
      connect(terms, on: loop)
      return
    }
    attempt = ByteStream.connect(to: question.address, on: loop) { [unowned self] result in
      switch result {
      case .success(let stream): self.ask(over: stream)
      case .failure(let error): self.fail("cannot connect: \(error)")
      }
    }
  }

  private func connect(_ terms: TLSTerms, on loop: EventLoop) {
    secureAttempt = SecureAttempt(to: question.address, terms, on: loop) { [unowned self] result in
      switch result {
      case .success(let stream): self.ask(over: stream)
      case .failure(let error): self.fail("cannot connect: \(error)")
      }
    }
  }

  private func ask(over stream: TLSStream) {
    secureStream = stream
    stream.delegate = self
    _ = stream.write(question.bytes)
  }

  private func ask(over stream: ByteStream) {
    self.stream = stream
    stream.delegate = self
    stream.startReading()
    _ = stream.write(question.bytes)
  }

  private func judge(hasEnded: Bool) {
    if let verdict = question.judge(answer, hasEnded) {
      end(verdict)
    } else if hasEnded || answer.count > Self.answerLimitBytes {
      fail("the answer makes no sense")
    }
  }

  private func fail(_ text: String) { end(HealthQuestion.Verdict(isWell: false, text: text)) }

  private func end(_ verdict: HealthQuestion.Verdict) {
    isWell = verdict.isWell
    text = verdict.text
    line = "\(question.name): " + LogText.shown(verdict.text, limitBytes: Self.shownLimitBytes)
    attempt?.cancel()
    secureAttempt?.cancel()
    timer?.close()
    stream?.close()
    secureStream?.close()
  }

  private func hear(_ bytes: Span<UInt8>, _ count: Int) {
    answer.append(bytes, 0..<count)
    judge(hasEnded: false)
  }
}

extension HealthCheck: ByteStreamDelegate {
  func stream(_ stream: ByteStream, received bytes: Span<UInt8>, count: Int) { hear(bytes, count) }

  func streamEnded(_ stream: ByteStream) { judge(hasEnded: true) }
  func stream(_ stream: ByteStream, failed error: UVError) { fail("\(error)") }
  func streamBecameWritable(_ stream: ByteStream) {}
}

extension HealthCheck: TLSStreamDelegate {
  func streamSecured(_ stream: TLSStream) {}

  func stream(_ stream: TLSStream, received bytes: Span<UInt8>, count: Int) { hear(bytes, count) }

  func streamEnded(_ stream: TLSStream) { judge(hasEnded: true) }
  func stream(_ stream: TLSStream, failed reason: TLSStreamFault) { fail("\(reason)") }
  func streamBecameWritable(_ stream: TLSStream) {}
}

@available(*, unavailable)
extension HealthCheck: Sendable {}
