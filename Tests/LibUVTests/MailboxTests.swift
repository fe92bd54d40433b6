import Dispatch
import LibUV
import Testing

@Suite struct MailboxTests {
  @Test func `what several threads send comes out complete and in each one's order`() throws {
    let scene = try Scene()
    let threads = 4
    let each = 5_000
    var heard = Array(repeating: [Int](), count: threads)
    var total = 0
    let mailbox = try Mailbox<(thread: Int, number: Int)>(on: scene.loop) { [unowned scene] message in
      heard[message.thread].append(message.number)
      total += 1
      if total == threads * each { scene.end() }
    }
    scene.atEnd { mailbox.close() }
    for thread in 0..<threads {
      let sender = mailbox.sender
      DispatchQueue.global().async { for number in 0..<each { sender.send((thread, number)) } }
    }
    scene.run()
    for numbers in heard { #expect(numbers == Array(0..<each)) }
  }

  @Test func `what is sent while messages come out comes out as well`() throws {
    let scene = try Scene()
    var heard: [Int] = []
    var sender: Mailbox<Int>.Sender?
    let mailbox = try Mailbox<Int>(on: scene.loop) { [unowned scene] number in
      heard.append(number)
      if number < 3 { sender?.send(number + 1) } else { scene.end() }
    }
    sender = mailbox.sender
    scene.atEnd { mailbox.close() }
    mailbox.sender.send(1)
    scene.run()
    #expect(heard == [1, 2, 3])
  }

  @Test func `a closed mailbox drops what comes`() throws {
    let loop = try EventLoop()
    let mailbox = try Mailbox<Int>(on: loop) { _ in Issue.record("it is closed") }
    mailbox.sender.send(1)
    mailbox.close()
    mailbox.close()
    mailbox.sender.send(2)
    loop.run()
    mailbox.sender.send(3)
  }
}
