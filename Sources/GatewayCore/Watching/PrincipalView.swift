/// A principal as it is at one moment.
package struct PrincipalView: Hashable, Sendable {
  package private(set) var name: String
  package private(set) var connections: Int
  /// That have not ended, of connections that are gone, too.
  package private(set) var tasks: Int
  /// Requests that wait for an answer.
  package private(set) var callers: Int
  package private(set) var requestBytes: Int
  package private(set) var tally: PrincipalTally

  package init(
    name: String, connections: Int, tasks: Int, callers: Int = 0, requestBytes: Int, tally: PrincipalTally
  ) {
    self.name = name
    self.connections = connections
    self.tasks = tasks
    self.callers = callers
    self.requestBytes = requestBytes
    self.tally = tally
  }

  /// The same as another, and as one that has done something else.
  package func named(_ name: String, _ tally: PrincipalTally) -> PrincipalView {
    var view = self
    (view.name, view.tally) = (name, tally)
    return view
  }

  /// Of two together, under the name of the first.
  package static func + (one: PrincipalView, other: PrincipalView) -> PrincipalView {
    var sum = one
    sum.connections += other.connections
    sum.tasks += other.tasks
    sum.callers += other.callers
    sum.requestBytes += other.requestBytes
    sum.tally = one.tally + other.tally
    return sum
  }

  /// Each principal's use at all loops, in the order in which these name it first.
  package static func merged(_ views: [PrincipalView]) -> [PrincipalView] {
    var merged: [PrincipalView] = []
    var places: [String: Int] = [:]
    for view in views {
      if let place = places[view.name] {
        merged[place] = merged[place] + view
      } else {
        places[view.name] = merged.count
        merged.append(view)
      }
    }
    return merged
  }
}
