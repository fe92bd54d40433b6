// The gateway's job as one would write it in Node.js: many clients, one upstream connection, and the newest
// request for each key wins.
// usage: node gateway.mjs UPSTREAM-PORT     prints the port that it listens on
import net from 'node:net'

const superseded = -32080
const invalidRequest = -32600
const parseError = -32700
const tasks = new Map()
const lanes = new Map()
let lastID = 0

const send = (socket, message) => {
  // One write for all that a turn of the loop has to say.
  if (socket.writableCorked === 0) {
    socket.cork()
    process.nextTick(() => socket.uncork())
  }
  socket.write(JSON.stringify(message) + '\n')
}
const fail = (socket, id, code, message) => send(socket, { jsonrpc: '2.0', id, error: { code, message } })

const readLines = (socket, take) => {
  let begun = ''
  socket.setEncoding('utf8').setNoDelay(true)
  socket.on('data', text => {
    const lines = (begun + text).split('\n')
    begun = lines.pop()
    for (const line of lines) take(line)
  })
}

const forget = (id, task) => {
  tasks.delete(id)
  if (lanes.get(task.key) === id) lanes.delete(task.key)
}

const cancel = id => {
  const task = tasks.get(id)
  if (!task) return
  forget(id, task)
  send(upstream, { jsonrpc: '2.0', method: '$/cancelRequest', params: { id } })
  return task
}

const admit = (client, { id, method, params, task }) => {
  const ours = ++lastID
  const key = task?.key
  if (key !== undefined) {
    const loser = cancel(lanes.get(key))
    if (loser) fail(loser.client, loser.id, superseded, 'superseded')
    lanes.set(key, ours)
  }
  tasks.set(ours, { client, id, key })
  client.tasks.add(ours)
  send(upstream, { jsonrpc: '2.0', id: ours, method, params })
}

const hearClient = (client, line) => {
  let message
  try {
    message = JSON.parse(line)
  } catch {
    return fail(client, null, parseError, 'Parse error')
  }
  if (message?.jsonrpc !== '2.0' || typeof message.method !== 'string')
    return fail(client, message?.id ?? null, invalidRequest, 'Invalid Request')
  admit(client, message)
}

const hearUpstream = line => {
  const { id, result, error } = JSON.parse(line)
  const task = tasks.get(id)
  if (!task) return
  forget(id, task)
  task.client.tasks.delete(id)
  send(task.client, error ? { jsonrpc: '2.0', id: task.id, error } : { jsonrpc: '2.0', id: task.id, result })
}

const upstream = net.connect(Number(process.argv[2]), '127.0.0.1')
readLines(upstream, hearUpstream)

const server = net.createServer(client => {
  client.tasks = new Set()
  client.on('error', () => client.destroy())
  client.on('close', () => client.tasks.forEach(cancel))
  readLines(client, line => hearClient(client, line))
})
server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () => console.log(server.address().port))
