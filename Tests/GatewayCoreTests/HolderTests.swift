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

  @Test func `nobody in particular makes room alone, the largest first, and of equals who came first`() {
    #expect(order([(0, 10), (0, 30), (0, 20), (0, 30)]) == [1, 3, 2, 0])
  }

  @Test func `of the principal that holds most the largest goes first, until another holds more`() {
    #expect(order([(1, 10), (1, 20), (2, 25), (1, 5)]) == [1, 2, 0, 3])
  }

  @Test func `a principal whose connections are closed is worth what is left of them`() {
    #expect(order([(1, 40), (1, 40), (2, 50), (2, 10), (0, 45)]) == [0, 2, 4, 1, 3])
  }
}
