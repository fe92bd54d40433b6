import LoadTest
import Testing

@Suite struct OpenRequestsTests {
  private func request(_ number: UInt64, connection: Int = 0) -> OpenRequest {
    OpenRequest(number: number, connection: connection, key: 0, policy: nil)
  }

  @Test func `one that is never answered is found however many come after it`() {
    var open = OpenRequests()
    open.insert(request(1))
    for number in UInt64(2)...100_000 {
      open.insert(request(number))
      let found = open.remove(number)?.number
      #expect(found == number)
    }
    let found = (open.update(1) { $0.number }, open.remove(1)?.number, open.remove(1)?.number)
    #expect(found == (1, 1, nil))
    #expect(open.count == 0)
  }

  @Test func `any number may be open at once`() {
    var open = OpenRequests()
    for number in UInt64(1)...10_000 { open.insert(request(number, connection: Int(number % 2))) }
    #expect(open.count == 10_000)
    #expect(open.counts(connections: 2) == [5_000, 5_000])
    let numbers = open.numbers(of: 1)
    #expect(Set(numbers).count == 5_000 && numbers.allSatisfy { !$0.isMultiple(of: 2) })
    for number in numbers { _ = open.remove(number) }
    let removed = (open.remove(2)?.number, open.remove(3)?.number)
    #expect(removed == (2, nil))
    #expect(open.count == 4_999)
  }

  @Test func `there is no request of number 0`() {
    var open = OpenRequests()
    let found = (open.remove(0)?.number, open.update(0) { $0.number })
    #expect(found == (nil, nil))
  }

  @Test func `it does what a dictionary does`() {
    var (open, model) = (OpenRequests(), Set<UInt64>())
    var random = LoadRandom(seed: 7)
    for number in UInt64(1)...50_000 {
      open.insert(request(number))
      model.insert(number)
      while model.count > 1 && random.below(100) < 52 {
        let other = number - UInt64(random.below(min(Int(number), 5_000)))
        let (found, expected) = (open.remove(other)?.number, model.remove(other))
        #expect(found == expected)
      }
      if number % 500 == 0 { #expect(open.count == model.count) }
    }
    for number in model {
      let found = open.remove(number)?.number
      #expect(found == number)
    }
    #expect(open.count == 0)
  }
}
