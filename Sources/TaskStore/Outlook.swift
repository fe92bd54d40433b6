/// What would come of a request at the door, bounds aside.
package enum Outlook: Hashable, Sendable {
  case busy
  case joins(TaskID)
  case isTask
}
