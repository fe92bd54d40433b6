/// When something happened at the admin listener; of two in one millisecond the number says which was first.
struct AdminMoment {
  var milliseconds: UInt64 = 0
  var number: UInt64 = 0
}
