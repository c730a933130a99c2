import Fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { rotatableKeys } from '../../../test/harness/keys.ts'
import type { Keys } from '../../store/keys/keys.ts'
import type { Caller } from '../access/caller.ts'
import { ReadPositions } from './read-position.ts'

const ids = { instanceId: 'i', userId: 'u' }
const CALLERS: Record<string, Caller> = {
  user: { ...ids, sessionId: 's1', role: 'admin', keyId: null, provenAtMs: 0, lacksTwoStep: false },
  'another session': { ...ids, sessionId: 's2', role: 'admin', keyId: null, provenAtMs: 0, lacksTwoStep: false },
  key: { instanceId: 'i', keyId: 'k', applicationId: 'k', createdBy: 'u', userId: null, scopes: new Set() },
}
const POSITION = 0x16_b374_d848n

let folder: Awaited<ReturnType<typeof rotatableKeys>>
const opened: FastifyInstance[] = []
beforeAll(async () => {
  folder = await rotatableKeys()
})
afterAll(async () => {
  for (const app of opened) await app.close()
  await folder.close()
})

/** A server that writes the position, and tells which one a request has. */
function serve(publicUrl: string, keys: Pick<Keys, 'tokenHash'> = folder.keys) {
  const positions = new ReadPositions(keys, { publicUrl, lifeMs: 90_500 })
  const app = Fastify()
  opened.push(app)
  app.addHook('onRequest', async (request) => {
    const caller = CALLERS[String(request.headers.by)]
    if (caller) Object.assign(request, { caller })
  })
  app.post('/', async (_request, reply) => positions.write(reply, POSITION))
  app.get('/', async (request) => String(positions.read(request)))
  return {
    write: async (by: string) => {
      const { headers } = await app.inject({ method: 'POST', url: '/', headers: { by } })
      return { header: String(headers['x-read-position']), cookie: headers['set-cookie'] as string | undefined }
    },
    read: async (by: string, headers: Record<string, string>) => BigInt((await app.inject({ url: '/', headers: { by, ...headers } })).body),
  }
}

describe('a read position', () => {
  it('is read by the caller who was given it, from the header or, for users, from the cookie', async () => {
    const { write, read } = serve('https://books.example.com')
    const { header, cookie } = await write('user')
    expect(await read('user', { 'x-read-position': header })).toBe(POSITION)
    const [pair = ''] = cookie?.split(';') ?? []
    expect(await read('user', { cookie: `a=1; ${pair};b=2` })).toBe(POSITION)
    expect(cookie).toBe(`__Secure-read-position=${header}; Path=/admin/api/v1; HttpOnly; SameSite=Strict; Max-Age=91; Secure`)
  })

  it('has a cookie without the prefix where there is no TLS, and none for programs', async () => {
    const { write, read } = serve('http://localhost:8080')
    const { header, cookie } = await write('user')
    expect(cookie).toBe(`read-position=${header}; Path=/admin/api/v1; HttpOnly; SameSite=Strict; Max-Age=91`)
    const ofKey = await write('key')
    expect([ofKey.cookie, await read('key', { 'x-read-position': ofKey.header })]).toEqual([undefined, POSITION])
  })

  it('in a header comes before one in a cookie', async () => {
    const { write, read } = serve('http://localhost:8080')
    const { header } = await write('user')
    expect(await read('user', { 'x-read-position': 'x', cookie: `read-position=${header}` })).toBe(0n)
  })

  it('tells nobody else anything, not even another session of the same user', async () => {
    const { write, read } = serve('https://books.example.com')
    const { header } = await write('user')
    for (const by of ['another session', 'key']) expect(await read(by, { 'x-read-position': header })).toBe(0n)
    expect((await write('user')).header).not.toBe(header)
    expect(Buffer.from(header, 'base64url').toString('hex')).not.toContain(POSITION.toString(16))
  })

  it('that is changed, cut, longer or missing is the beginning', async () => {
    const { write, read } = serve('https://books.example.com')
    const bytes = Buffer.from((await write('user')).header, 'base64url')
    const changed = [0, 12, 35].map((at) => bytes.map((byte, index) => (index === at ? byte ^ 1 : byte)))
    for (const each of [...changed, bytes.subarray(1), Buffer.concat([bytes, Buffer.alloc(1)]), Buffer.alloc(0)])
      expect(await read('user', { 'x-read-position': Buffer.from(each).toString('base64url') })).toBe(0n)
    expect([await read('user', {}), await read('user', { cookie: 'x__Secure-read-position=1' })]).toEqual([0n, 0n])
  })

  it('of an older key is still read, and one of foreign keys is not', async () => {
    const before = await serve('https://books.example.com').write('user')
    await folder.rotate('token-hash')
    expect(await serve('https://books.example.com').read('user', { 'x-read-position': before.header })).toBe(POSITION)
    const foreign = await rotatableKeys()
    expect(await serve('https://books.example.com', foreign.keys).read('user', { 'x-read-position': before.header })).toBe(0n)
    await foreign.close()
  })
})
