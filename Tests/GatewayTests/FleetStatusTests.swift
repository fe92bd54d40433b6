import Testing

@testable import Gateway

/// When a member of a fleet says that requests should be sent to it.
@Suite struct FleetStatusTests {
  /// Of so many members, in the eyes of one.
  private func status(members: Int, links: Int, linksUp: Int, unowned: Int = 0) -> FleetStatus {
    var status = FleetStatus()
    status.standing = "member"
    status.members = (0..<members).map { number in
      FleetStatus.Member(
        id: "\(number)", address: "", isLeaving: false, isSelf: number == 0, partitions: 0)
    }
    (status.links, status.linksUp, status.unownedPartitions) = (links, linksUp, unowned)
    return status
  }

  @Test func `at first it waits until all is there`() {
    #expect(status(members: 3, links: 2, linksUp: 1).reason != nil)
    #expect(status(members: 3, links: 2, linksUp: 2, unowned: 1).reason != nil)
    #expect(status(members: 3, links: 2, linksUp: 2).reason == nil)
  }

  @Test func `once it was ready, what is wrong with others says nothing against it`() {
    var ready = status(members: 3, links: 2, linksUp: 1, unowned: 80)
    ready.hasBeenReady = true
    #expect(ready.reason == nil)
    ready.standing = "leaving"
    #expect(ready.reason != nil)
  }

  @Test func `who reaches none of several others is cut off, and of two nobody knows who is`() {
    for (members, isReady) in [(1, true), (2, true), (3, false)] {
      var status = status(members: members, links: members - 1, linksUp: 0)
      status.hasBeenReady = true
      #expect((status.reason == nil) == isReady)
    }
  }
}
