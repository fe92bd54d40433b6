/// Says a moment by the Gregorian calendar, to the minute.
enum UTCDate {
  static func text(_ secondsSince1970: UInt64) -> String {
    let (days, seconds) = (Int(clamping: secondsSince1970 / 86_400), secondsSince1970 % 86_400)
    let (year, month, day) = date(days)
    return
      "\(two(year))-\(two(month))-\(two(day)) \(two(Int(seconds / 3_600))):\(two(Int(seconds / 60 % 60))) UTC"
  }

  /// Years are counted from March, so that the leap day is a year's last one.
  private static func date(_ daysSince1970: Int) -> (year: Int, month: Int, day: Int) {
    let days = daysSince1970 + 719_468
    let (era, dayOfEra) = days.quotientAndRemainder(dividingBy: 146_097)
    let year = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * year + year / 4 - year / 100)
    let month = (5 * dayOfYear + 2) / 153
    let isNextYear = month >= 10
    return (
      year: era * 400 + year + (isNextYear ? 1 : 0), month: month + (isNextYear ? -9 : 3),
      day: dayOfYear - (153 * month + 2) / 5 + 1
    )
  }

  private static func two(_ number: Int) -> String { String(number).leftPadded(to: 2, with: "0") }
}
