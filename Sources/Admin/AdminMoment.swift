/// The time of something at the admin listener; of two in one millisecond the one with the smaller number was first.
struct AdminMoment {
  var milliseconds: UInt64 = 0
  var number: UInt64 = 0
}
