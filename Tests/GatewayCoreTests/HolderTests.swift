import GatewayCore
import Testing

/// Who makes room first.
@Suite struct HolderTests {
  private func order(_ holders: [(principal: Int, byteCount: Int)]) -> [Int] {
    let holders = holders.enumerated().map { client, holder in
      Holder(client: client, principal: holder.principal, byteCount: holder.byteCount)
    }
    return Holder.inOrder(holders).map(\.client)
  }

  @Test func `nobody in particular makes room alone, the largest first, and of equals the first`() {
    #expect(order([(0, 10), (0, 30), (0, 20), (0, 30)]) == [1, 3, 2, 0])
  }

  @Test func `of the principal that holds most the largest goes first, until another holds more`() {
    #expect(order([(1, 10), (1, 20), (2, 25), (1, 5)]) == [1, 2, 0, 3])
  }

  @Test func `a principal whose connections are closed is worth what is left of them`() {
    #expect(order([(1, 40), (1, 40), (2, 50), (2, 10), (0, 45)]) == [0, 2, 4, 1, 3])
  }

  @Test func `of equals the newest goes first, be it of a principal or not`() {
    func holder(_ client: Int, _ principal: Int, _ number: UInt64) -> Holder {
      Holder(client: client, principal: principal, byteCount: 10, number: number)
    }
    let holders = [holder(0, 0, 7), holder(1, 0, 9), holder(2, 0, 8), holder(3, 1, 6), holder(4, 1, 5)]
    #expect(Holder.inOrder(holders).map(\.client) == [3, 1, 2, 0, 4])
  }
}
