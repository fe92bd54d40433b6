package enum EngineWrite: Hashable, Sendable {
  case put(EngineKey, EngineValue)
  case delete(EngineKey)
}
