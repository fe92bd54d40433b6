import LibUV
import Testing

/// A child of a test, with everything it says.
final class RunningChild {
  let process: ChildProcess
  let output: Recorder
  let errors: Recorder
  private(set) var exits: [ChildExit] = []
  var onExit: () -> Void = {}

  /// Without an action of the test's, its exit ends the scene.
  init(
    _ arguments: [String], directory: String? = nil, environment: [String] = [],
    inherits: InheritedVariables = .all, in scene: Scene
  ) throws {
    var exited: (ChildExit) -> Void = { _ in }
    process = try ChildProcess(
      arguments, directory: directory, environment: environment, inherits: inherits, on: scene.loop,
      onExit: { exited($0) })
    output = scene.hear(process.output)
    errors = scene.hear(process.errors!)
    exited = { [unowned self] in
      exits.append($0)
      onExit()
    }
    scene.atEnd { [process] in
      process.kill()
      process.input.close()
    }
  }

  /// Ends the scene when the child has exited and all that it said has come.
  func endsScene(_ scene: Scene) {
    let endIfOver = { [unowned self] in
      if !exits.isEmpty && output.ends == 1 && errors.ends == 1 { scene.end() }
    }
    onExit = endIfOver
    output.onEnded = endIfOver
    errors.onEnded = endIfOver
  }

  /// Runs a child to its end.
  @discardableResult
  static func run(
    _ arguments: [String], directory: String? = nil, environment: [String] = [],
    inherits: InheritedVariables = .all,
    _ whenStarted: (Scene, RunningChild) -> Void = { _, child in child.process.input.close() }
  ) throws -> RunningChild {
    let scene = try Scene()
    defer {
      scene.end()
      scene.run()
    }
    let child = try RunningChild(
      arguments, directory: directory, environment: environment, inherits: inherits, in: scene)
    child.endsScene(scene)
    whenStarted(scene, child)
    scene.run()
    child.onExit = {}
    return child
  }

  @discardableResult
  static func shell(
    _ script: String, directory: String? = nil, environment: [String] = [],
    _ whenStarted: (Scene, RunningChild) -> Void = { _, child in child.process.input.close() }
  ) throws -> RunningChild {
    try run(["sh", "-c", script], directory: directory, environment: environment, whenStarted)
  }
}
