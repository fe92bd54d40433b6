// The job of ../gateway.mjs over WebSockets, by the package ws: each text is a message.
// usage: node gateway-ws.mjs WS-MODULE UPSTREAM-PORT     prints the port that it listens on
import net from 'node:net'

const superseded = -32080
const invalidRequest = -32600
const parseError = -32700
const tasks = new Map()
const lanes = new Map()
let lastID = 0

const { WebSocketServer } = await import(process.argv[2])

const sendUpstream = message => {
  // One write for all that a turn of the loop has to say.
  if (upstream.writableCorked === 0) {
    upstream.cork()
    process.nextTick(() => upstream.uncork())
  }
  upstream.write(JSON.stringify(message) + '\n')
}
const send = (client, message) => client.send(JSON.stringify(message))
const fail = (client, id, code, message) => send(client, { jsonrpc: '2.0', id, error: { code, message } })

const forget = (id, task) => {
  tasks.delete(id)
  if (lanes.get(task.key) === id) lanes.delete(task.key)
}

const cancel = id => {
  const task = tasks.get(id)
  if (!task) return
  forget(id, task)
  sendUpstream({ jsonrpc: '2.0', method: '$/cancelRequest', params: { id } })
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
  sendUpstream({ jsonrpc: '2.0', id: ours, method, params })
}

const hearClient = (client, text) => {
  let message
  try {
    message = JSON.parse(text)
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

const upstream = net.connect(Number(process.argv[3]), '127.0.0.1')
let begun = ''
upstream.setEncoding('utf8').setNoDelay(true)
upstream.on('data', text => {
  const lines = (begun + text).split('\n')
  begun = lines.pop()
  for (const line of lines) hearUpstream(line)
})

const server = new WebSocketServer({ port: 0, host: '127.0.0.1', backlog: 4096, perMessageDeflate: false })
server.on('connection', client => {
  client.tasks = new Set()
  client.on('error', () => client.terminate())
  client.on('close', () => client.tasks.forEach(cancel))
  client.on('message', data => hearClient(client, data.toString()))
})
server.on('listening', () => console.log(server.address().port))
