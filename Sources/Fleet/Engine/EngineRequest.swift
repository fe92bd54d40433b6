/// What a member asks of the engine. It is told what came of it under the number.
package struct EngineRequest: Sendable {
  package enum Body: Sendable {
    case transaction(EngineTransaction)
    case read(EngineKey)
  }

  package let number: UInt64
  package let body: Body
}
