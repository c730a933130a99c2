import { createServer, type RequestListener } from 'node:http'
import { connect } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { checkNodeInternals } from '../../src/api/read-cache/node-internals.ts'
import { ResponseHeadWriter } from '../../src/api/read-cache/response-head-writer.ts'

const KEEP_ALIVE_MS = 72_000
const NOW_MS = Date.UTC(2026, 0, 2, 3, 4, 5)
const HEADERS = ['x-content-type-options', 'nosniff', 'vary', 'accept-encoding, authorization']

/** What the self-test tells the log. */
let told: string[] = []
const log = { warn: (_fields: object, message: string) => void told.push(message) }
const closing: (() => void)[] = []

afterEach(() => {
  for (const close of closing.splice(0)) close()
})

/** Every byte that three requests on one connection get, the last of which ends it. */
async function bytesFrom(listener: RequestListener): Promise<string> {
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, listener)
  closing.push(() => server.close())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  let heard = ''
  const socket = connect(typeof address === 'object' ? (address?.port ?? 0) : 0, '127.0.0.1', () =>
    socket.write(
      'GET / HTTP/1.1\r\nhost: x\r\n\r\nGET / HTTP/1.1\r\nhost: x\r\n\r\nGET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n',
    ),
  )
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    heard += chunk
  })
  socket.on('close', () => resolve(heard)).on('error', reject)
  // Of a connection that ends Node says the date itself.
  return (await promise).replace(/^Date: .*$/m, 'Date')
}

describe('what is taken from Node beside its documented interface', () => {
  it('is as expected in the Node that runs this', () => {
    told = []
    expect(checkNodeInternals(log).setHead).not.toBeNull()
    const bytes = Buffer.allocUnsafeSlow(8)
    checkNodeInternals(log).releaseMemory(bytes)
    expect([bytes.length, told]).toEqual([0, []])
  })

  it.each([
    ['a text', 200, 'é!'],
    ['bytes', 200, Buffer.from([0xe9, 0x21])],
    ['nothing', 304, undefined],
  ])('changes no byte of an answer where it is as expected and where it is not: %s', async (_what, status, body) => {
    told = []
    const renamed = checkNodeInternals(log, { setHead: (response, _status, head) => Object.assign(response, { _head: head }) })
    expect([renamed.setHead, told]).toEqual([null, ['this Node keeps response heads elsewhere: known reads take longer']])
    const heard = [checkNodeInternals(log), renamed].map(({ setHead }) => {
      const writer = new ResponseHeadWriter({ headers: HEADERS, keepAliveMs: KEEP_ALIVE_MS, setHead })
      return bytesFrom((_request, response) => {
        writer.write(response, status, NOW_MS, ['x-request-id', 'a'], body === undefined ? [] : ['content-length', String(body.length)])
        if (typeof body === 'string') response.end(body, 'latin1')
        else response.end(body)
      })
    })
    const [fast, documented] = await Promise.all(heard)
    expect(fast?.match(/HTTP\/1\.1 /g)).toHaveLength(3)
    expect(documented).toBe(fast)
  })

  it.each([
    ['that throws', () => expect.fail('no such member')],
    ['that Node does not read', () => undefined],
  ])('is not used where it is a member %s', (_what, setHead) => {
    told = []
    expect(checkNodeInternals(log, { setHead }).setHead).toBeNull()
    expect(told).toHaveLength(1)
  })

  it.each([
    ['keeps it', () => undefined],
    ['throws', () => expect.fail('no such member')],
  ])('leaves memory to the garbage collector where Node %s', (_what, detach) => {
    told = []
    const { releaseMemory } = checkNodeInternals(log, { detach })
    const bytes = Buffer.from(new TextEncoder().encode('page').buffer)
    releaseMemory(bytes)
    expect(bytes.toString()).toBe('page')
    expect(told).toEqual(['this Node does not give memory back at once: large reads take longer'])
  })
})
