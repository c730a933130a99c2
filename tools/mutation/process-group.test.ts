import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { endGroup, killGroup } from './process-group.ts'

let server: Server
let sockets: Socket[]
let parent: ChildProcess | undefined

/** A process that does as `onTerm` says, and one that it has started; each holds a connection while it runs. */
async function openFamily(onTerm: string): Promise<{ connected: Socket[] }> {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server does not listen')
  const connect = `require('node:net').connect(${address.port}, '127.0.0.1')`
  const code = `${onTerm}; require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(connect)}]); ${connect}`
  parent = spawn(process.execPath, ['-e', code], { detached: true, stdio: 'ignore' })
  while (sockets.length < 2) await once(server, 'connection')
  return { connected: sockets }
}

beforeEach(async () => {
  sockets = []
  server = createServer((socket) => {
    socket.on('error', () => undefined)
    sockets.push(socket.resume())
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
})
afterEach(() => {
  if (parent) killGroup(parent)
  server.close()
})

const closed = async (all: readonly Socket[]) =>
  await Promise.all(all.map(async (socket) => socket.closed || (await once(socket, 'close'))))

it('what a process has started ends with it', async () => {
  const { connected } = await openFamily('')
  if (parent) killGroup(parent)
  await closed(connected)
})

it('a process that does not end when it is asked is killed with what it has started', async () => {
  const { connected } = await openFamily(`process.on('SIGTERM', () => undefined)`)
  const exited = parent && once(parent, 'exit')
  if (parent) endGroup(parent, 100)
  expect(await exited).toEqual([null, 'SIGKILL'])
  await closed(connected)
})

it('a process that ends when it is asked ends as it wants to', async () => {
  await openFamily(`process.on('SIGTERM', () => process.exit(7))`)
  const exited = parent && once(parent, 'exit')
  if (parent) endGroup(parent)
  expect(await exited).toEqual([7, null])
})

it('a group of which nothing runs any more is no fault', async () => {
  const child = spawn(process.execPath, ['-e', ''], { detached: true })
  await once(child, 'exit')
  expect(() => killGroup(child)).not.toThrow()
})
