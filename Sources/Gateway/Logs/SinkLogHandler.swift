package import Logging

/// Hands events to a sink. A logger without a level of its own has the sink's.
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
