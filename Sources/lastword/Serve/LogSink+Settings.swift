import Configuration
import Gateway
import Logging

/// Makes a log from its settings.
extension LogSink {
  convenience init(_ settings: LogSettings) {
    self.init()
    apply(settings)
  }

  /// Applies settings to later log lines.
  func apply(_ settings: LogSettings) {
    level = settings.level.level
    switch settings.format {
    case .text: form = .text
    case .json: form = .json
    case .auto: form = isTerminal ? .text : .json
    }
  }
}

extension LogLevel {
  var level: Logger.Level {
    switch self {
    case .trace: .trace
    case .debug: .debug
    case .info: .info
    case .notice: .notice
    case .warning: .warning
    case .error: .error
    case .critical: .critical
    }
  }
}
