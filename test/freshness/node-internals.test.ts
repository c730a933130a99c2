import { createServer, type IncomingMessage, type RequestListener, ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { HeaderList } from '../../src/api/read-cache/header-list.ts'
import { HeadSetter, memoryReleaser } from '../../src/api/read-cache/node-internals.ts'
import { ResponseHeadWriter } from '../../src/api/read-cache/response-head-writer.ts'

const KEEP_ALIVE_MS = 72_000
const NOW_MS = Date.UTC(2026, 0, 2, 3, 4, 5)
const HEADERS = ['x-content-type-options', 'nosniff', 'vary', 'accept-encoding, authorization']
const REQUEST = 'GET / HTTP/1.1\r\nhost: x\r\n'
const HEADS_ELSEWHERE = 'this Node keeps response heads elsewhere: cached reads take longer'

let warnings: string[]
const log = { warn: (_fields: object, message: string) => void warnings.push(message) }
const closing: (() => void)[] = []

beforeEach(() => {
  warnings = []
})
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

/** A Node that sends both the given head and its own, unless the latter is withdrawn. */
class SendsBoth<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  given: string | null = null

  override end(...args: unknown[]): this {
    const send = (socket: Socket): void => void (this.given !== null && socket.write(this.given))
    // All pipelined requests but the first wait for the connection.
    if (this.socket) send(this.socket)
    else this.once('socket', send)
    return Reflect.apply(super.end, this, args)
  }
}

/** All bytes of the responses to four requests on one connection, which the last one closes. */
async function bytesFrom(listener: RequestListener): Promise<string> {
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS, ServerResponse: SendsBoth }, listener)
  closing.push(() => server.close())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  let received = ''
  const socket = connect(typeof address === 'object' ? (address?.port ?? 0) : 0, '127.0.0.1', () =>
    socket.write(`${`${REQUEST}\r\n`.repeat(3)}${REQUEST}connection: close\r\n\r\n`),
  )
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    received += chunk
  })
  socket.on('close', () => resolve(received)).on('error', reject)
  // On a connection that is closing Node writes the date itself.
  return (await promise).replace(/^Date: .*$/m, 'Date')
}

type HeadStore = ConstructorParameters<typeof HeadSetter>[1]

const readHead = (response: ServerResponse): unknown => Reflect.get(response, '_header')

/** Future versions of Node, by their behaviour with a preset head. */
const OTHER_NODES: [string, NonNullable<HeadStore>][] = [
  ['keeps heads under another name', { read: () => undefined, store: (response, head) => void Reflect.set(response, '_head', head) }],
  ['keeps heads where reading them throws', { read: () => expect.fail('no such member'), store: () => undefined }],
  [
    'writes another head',
    { read: (response) => `${readHead(response)}x: y\r\n`, store: (response, head) => void Reflect.set(response, '_header', head) },
  ],
  ['throws when a head is set', { read: readHead, store: () => expect.fail('no such member') }],
  ['does not send a head that is set', { read: readHead, store: () => undefined }],
  ['sends a head that is set and its own', { read: readHead, store: (response, head) => void Reflect.set(response, 'given', head) }],
]

/** Response bytes of a server whose heads are set in this way. */
function bytesWith(headSetter: HeadSetter, status: number, body: string | Buffer | undefined): Promise<string> {
  const writer = new ResponseHeadWriter({ headers: HEADERS, keepAliveMs: KEEP_ALIVE_MS, headSetter })
  return bytesFrom((_request, response) => {
    const lasting = new HeaderList(body === undefined ? [] : ['content-length', String(body.length)])
    writer.write(response, status, NOW_MS, ['x-request-id', 'a'], lasting)
    if (typeof body === 'string') response.end(body, 'latin1')
    else response.end(body)
  })
}

describe('undocumented interfaces of Node', () => {
  it.each([
    ['a text', 200, 'é!'],
    ['bytes', 200, Buffer.from([0xe9, 0x21])],
    ['nothing', 304, undefined],
  ])('change no byte of a response, in this Node and in others: %s', async (_what, status, body) => {
    const setter = new HeadSetter(log)
    const fast = await bytesWith(setter, status, body)
    expect(fast.match(/HTTP\/1\.1 /g)).toHaveLength(4)
    expect(warnings).toEqual([])
    for (const [name, heads] of OTHER_NODES) {
      expect(await bytesWith(new HeadSetter(log, heads), status, body), `a Node that ${name}`).toBe(fast)
      expect(warnings.splice(0), `a Node that ${name}`).toEqual([HEADS_ELSEWHERE])
    }
  })

  it('set every head but the first in this Node', async () => {
    const set: boolean[] = []
    class Watched extends HeadSetter {
      override set(...args: Parameters<HeadSetter['set']>): boolean {
        const isSet = super.set(...args)
        set.push(isSet)
        return isSet
      }
    }
    await bytesWith(new Watched(log), 200, 'é!')
    expect(set).toEqual([false, true, true])
  })

  it('release memory at once in this Node', () => {
    const bytes = Buffer.allocUnsafeSlow(8)
    memoryReleaser(log)(bytes)
    expect([bytes.length, warnings]).toEqual([0, []])
  })

  it.each([
    ['keeps it', () => undefined],
    ['throws', () => expect.fail('no such member')],
  ])('leave memory to the garbage collector if Node %s', (_what, detach) => {
    const releaseMemory = memoryReleaser(log, detach)
    const bytes = Buffer.from(new TextEncoder().encode('page').buffer)
    releaseMemory(bytes)
    expect(bytes.toString()).toBe('page')
    expect(warnings).toEqual(['this Node does not give memory back at once: large reads take longer'])
  })
})
