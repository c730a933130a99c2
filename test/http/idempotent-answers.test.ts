import { randomUUID } from 'node:crypto'
import fastify, { type FastifyInstance } from 'fastify'
import { describe, expect, it } from 'vitest'
import { addIdempotency, newIdFor } from '../../src/api/http/idempotency.ts'
import { createSealer } from '../../src/store/keys/sealing.ts'
import { tokenHasher } from '../../src/store/keys/token-hash.ts'
import { addInstance } from '../harness/app/tenants.ts'
import { testDatabase } from '../harness/database.ts'
import { openForTests } from '../harness/for-tests.ts'
import { testKeys } from '../harness/keys.ts'

interface Opened {
  app: FastifyInstance
  instanceId: string
  neighbourId: string
  close(): Promise<void>
}
/** Ids that the work was given, oldest first. */
const worked: string[] = []
/** Called while the work is being done. */
let during: (() => Promise<void>) | null = null

/** A server whose answers are as the address says, to owners that the headers name. */
async function open(): Promise<Opened> {
  const { database, drop } = await testDatabase()
  const [keys, instanceId, neighbourId] = [await testKeys(), await addInstance(database), await addInstance(database, 'Neighbour')]
  const app = fastify({ exposeHeadRoutes: false })
  app.addHook('onRequest', async (_request, reply) => void reply.headers({ 'x-request-id': randomUUID(), 'x-before': 'same for all' }))
  addIdempotency(app, {
    database,
    sealer: createSealer(keys),
    hashToken: tokenHasher(keys),
    ownerOf: ({ headers }) =>
      headers['x-owner'] === undefined ? null : { instanceId: String(headers['x-instance'] ?? instanceId), id: String(headers['x-owner']) },
  })
  app.route<{ Querystring: { status?: string; empty?: string } }>({
    method: ['POST', 'PUT'],
    url: '/work',
    handler: async (request, reply) => {
      const id = newIdFor(request)
      worked.push(id)
      await during?.()
      reply.code(Number(request.query.status ?? 201))
      reply.headers({ location: `/work/${id}`, 'set-cookie': 'a=b', 'x-ratelimit-remaining': worked.length, 'x-own': 'kept' })
      return request.query.empty === undefined ? { id, at: worked.length } : null
    },
  })
  await app.ready()
  return {
    ...{ app, instanceId, neighbourId },
    close: async () => {
      await app.close()
      await drop()
    },
  }
}

const harness = openForTests(open)

interface Sent {
  key?: string | undefined
  owner?: string | null
  url?: string
  body?: object
  method?: 'POST' | 'PUT'
  instance?: string
}
async function send({ key, owner = 'ann', url = '/work', body = {}, method = 'POST', instance }: Sent) {
  const headers = {
    ...(key === undefined ? {} : { 'idempotency-key': key }),
    ...(owner === null ? {} : { 'x-owner': owner }),
    ...(instance === undefined ? {} : { 'x-instance': instance }),
  }
  return await harness.app.inject({ method, url, headers, payload: body })
}
/** How often the work was done for these requests. */
async function timesOf(...requests: Sent[]): Promise<number> {
  const before = worked.length
  for (const request of requests) await send(request)
  return worked.length - before
}

describe('a request with an idempotency key', () => {
  it('is answered a second time as the first time: status, body and the headers of its own', async () => {
    const key = randomUUID()
    const [first, second] = [await send({ key }), await send({ key })]
    const own = ({ headers }: typeof first) => [headers.location, headers['x-own'], headers['content-type'], headers['x-before']]
    expect([second.statusCode, second.body, own(second)]).toEqual([201, first.body, own(first)])
    expect([first.headers['idempotent-replayed'], second.headers['idempotent-replayed']]).toEqual([undefined, 'true'])
    expect(second.headers['x-request-id']).not.toBe(first.headers['x-request-id'])
    expect([second.headers['set-cookie'], second.headers['x-ratelimit-remaining']]).toEqual([undefined, undefined])
  })

  it('has no body the second time where it had none', async () => {
    const key = randomUUID()
    const answers = [await send({ key, url: '/work?status=204&empty=1' }), await send({ key, url: '/work?status=204&empty=1' })]
    expect(answers.map(({ statusCode, body, headers }) => [statusCode, body, headers['idempotent-replayed']])).toEqual([
      [204, '', undefined],
      [204, '', 'true'],
    ])
  })

  it.each([
    [200, 1],
    [404, 1],
    [428, 1],
    [429, 2],
    [430, 1],
    [499, 1],
    [500, 2],
    [503, 2],
  ])('that was answered %i is done %i times when it is sent twice', async (status, times) => {
    const request = { key: randomUUID(), url: `/work?status=${status}` }
    expect(await timesOf(request, request)).toBe(times)
  })

  it('keeps its id when it is done again, and has another with another key, or with none', async () => {
    const key = randomUUID()
    worked.length = 0
    const failing = { key, url: '/work?status=500' }
    await timesOf(failing, failing, { ...failing, key: randomUUID() }, { url: '/work' }, { url: '/work' })
    const [first, again, ...others] = worked
    expect([again, new Set([first, ...others]).size]).toEqual([first, 4])
  })

  it('is told to wait while it is being done', async () => {
    const request = { key: randomUUID() }
    let waiting: Awaited<ReturnType<typeof send>> | null = null
    during = async () => {
      during = null
      waiting = await send(request)
    }
    const first = await send(request)
    expect(first.statusCode).toBe(201)
    expect(waiting).toMatchObject({ statusCode: 409, headers: { 'retry-after': '1' } })
  })

  it.each<[string, Partial<Sent>, number]>([
    ['another body', { body: { other: 1 } }, 422],
    ['another address', { url: '/work?status=200' }, 422],
    ['another owner', { owner: 'bob' }, 201],
  ])('is another request with %s: %i', async (_what, other, status) => {
    const key = randomUUID()
    await send({ key })
    expect((await send({ key, ...other })).statusCode).toBe(status)
  })

  it('of an owner of the same name in another instance is another request', async () => {
    const key = randomUUID()
    const [first, other] = [await send({ key }), await send({ key, instance: harness.neighbourId })]
    expect([other.statusCode, other.headers['idempotent-replayed'], other.body === first.body]).toEqual([201, undefined, false])
  })
})

describe('a key', () => {
  it.each(['!', '~', 'x'.repeat(255)])('may be %s', async (key) => {
    expect((await send({ key })).statusCode).toBe(201)
  })

  it.each(['', ' ', 'a b', 'x'.repeat(256), 'é', '\u007f'])('may not be %j, and nothing is done', async (key) => {
    const before = worked.length
    const { statusCode } = await send({ key })
    expect([statusCode, worked.length - before]).toEqual([400, 0])
  })

  it('means nothing to a request of nobody, to another method, and where there is none', async () => {
    const key = randomUUID()
    expect(await timesOf({ key, owner: null }, { key, owner: null })).toBe(2)
    expect(await timesOf({ key, method: 'PUT' }, { key, method: 'PUT' })).toBe(2)
    expect(await timesOf({}, {})).toBe(2)
  })
})
