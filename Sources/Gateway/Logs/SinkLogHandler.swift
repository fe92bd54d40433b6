package import Logging

/// Hands events to a sink, whose level is that of every logger that was not given one of its own.
package struct SinkLogHandler: LogHandler {
  package var metadata: Logger.Metadata = [:]
  private let sink: LogSink
  private var ownLevel: Logger.Level?

  package init(_ sink: LogSink) { self.sink = sink }

  package var logLevel: Logger.Level {
    get { ownLevel ?? sink.level }
    set { ownLevel = newValue }
  }

  package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  package func log(event: LogEvent) {
    let all = metadata.merging(event.metadata ?? [:]) { $1 }
    sink.write(LogEntry(event.level, "\(event.message)", all))
  }
}
