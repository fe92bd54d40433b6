import HotData

/// All accounts, by number; those that are over are used again.
struct AccountTable: ~Copyable {
  private var accounts = SlotArray(empty: Account(client: -1), count: 0)
  private var free: [Int] = []

  /// How many accounts are in use.
  var count: Int { accounts.count - free.count }
  /// The indices of all accounts, including unused ones, in which nothing counts.
  var indices: Range<Int> { accounts.indices }

  subscript(account: Int) -> Account {
    @inline(__always) _read { yield accounts[account] }
    @inline(__always) _modify { yield &accounts[account] }
  }

  /// A new one; its connection has no number yet.
  mutating func open() -> Int {
    if let account = free.popLast() { return account }
    accounts.reach(accounts.count)
    return accounts.count - 1
  }

  /// Nothing of it is left to charge anybody for.
  mutating func close(_ account: Int) {
    accounts[account] = Account(client: -1)
    free.append(account)
  }
}
