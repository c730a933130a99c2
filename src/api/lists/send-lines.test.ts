import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import Fastify from 'fastify'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { badRequest } from '../errors/errors.ts'
import { handleError } from '../errors/problem.ts'
import { requireChunks, sendLines } from './send-lines.ts'

const PIECES = 64
const PIECE = Buffer.alloc(1_000_000, 'x')

const app = Fastify()
let origin = ''
let taken = 0
let isEnded = false
beforeAll(async () => {
  app.setErrorHandler(handleError)
  app.get('/many', async (_request, reply) => {
    requireChunks(reply)
    await sendLines(reply, many())
    return reply
  })
  app.get('/failing', async (_request, reply) => {
    await sendLines(reply, failing())
    return reply
  })
  origin = await app.listen({ host: '127.0.0.1', port: 0 })
})
afterAll(() => app.close())

async function* many(): AsyncGenerator<Uint8Array> {
  isEnded = false
  try {
    for (taken = 0; taken < PIECES; taken += 1) yield PIECE
  } finally {
    isEnded = true
  }
}

async function* failing(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('{"id":1}\n')
  yield PIECE
  throw badRequest('Out of luck.')
}

async function open(path: string): Promise<IncomingMessage> {
  const [response] = await once(get(`${origin}${path}`), 'response')
  return response
}

it('takes no more pieces than the client does', async () => {
  const response = await open('/many')
  // Pieces that nobody waits for would all be taken by now.
  for (let turn = 0; turn < 2_000; turn += 1) await setImmediate()
  expect(taken).toBeLessThan(PIECES / 2)
  let bytes = 0
  for await (const chunk of response) bytes += chunk.length
  expect([bytes, response.complete]).toEqual([PIECES * PIECE.length, true])
})

it('ends its work when the client goes away', async () => {
  const response = await open('/many')
  response.destroy()
  while (!isEnded) await setImmediate()
  expect(taken).toBeLessThan(PIECES)
})

it('tells a failure in the last line, however much is on its way, and breaks off', async () => {
  const response = await open('/failing')
  let text = ''
  const failure = await (async () => {
    for await (const chunk of response) text += chunk
  })().then(
    () => null,
    (error: Error) => error,
  )
  expect(failure?.message).toBe('aborted')
  expect(response.complete).toBe(false)
  const last = text.slice(PIECE.length + '{"id":1}\n'.length)
  expect(JSON.parse(last)).toMatchObject({ error: { status: 400, detail: 'Out of luck.' } })
})

it('refuses HTTP/1.0, where the end would look like that of a whole answer', async () => {
  const socket = connect(Number(new URL(origin).port), '127.0.0.1', () => socket.write('GET /many HTTP/1.0\r\n\r\n'))
  let heard = ''
  for await (const chunk of socket.setEncoding('latin1')) heard += chunk
  expect(heard).toMatch(/^HTTP\/1\.1 426 [\s\S]*\r\nupgrade: HTTP\/1\.1\r\n/i)
})
