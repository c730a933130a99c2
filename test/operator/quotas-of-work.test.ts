import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { toServiceId } from '../../src/model/catalogue.ts'
import { inTransaction } from '../../src/store/db/database.ts'
import { admitToQuota, QuotaReached } from '../../src/store/operators/quotas.ts'
import { beginAuthorization } from '../../src/sync/authorize/authorize.ts'
import type { OpenLink } from '../../src/sync/links/link.ts'
import { addGrantedConnection } from '../harness/app/connections.ts'
import { openNewLink } from '../harness/app/owner-link.ts'
import { sourcesWithKits } from '../harness/app/sync-deps.ts'
import { addCompany } from '../harness/app/tenants.ts'
import { openForTests } from '../harness/for-tests.ts'
import { bearerOf } from '../harness/test-api.ts'
import { ScriptedSource } from '../sync/scripted-source.ts'
import { operatorHarness } from './harness.ts'

const AT_ONCE = 50
const BOUND = 7
const books = new ScriptedSource('books')
const api = openForTests(() => operatorHarness({ requestLimits: { perSession: 0, perInstance: 0, perNetwork: 0 } }))
let token: string
let ours: string
let headers: { authorization: string }
beforeAll(async () => {
  Object.assign(api.deps.sync, { sources: sourcesWithKits([books.description]) })
  ;({ token } = await api.signIn())
})
beforeEach(async () => {
  ours = await api.addInstance()
  headers = await bearerOf(api, (await api.addUser({ instanceId: ours })).email)
})
const set = (bounds: object) => api.ask('PUT', `/instances/${ours}/quotas`, token, bounds)
const used = async (name: string) =>
  (await api.ask<{ name: string; used: number }[]>('GET', `/instances/${ours}/quotas`, token)).body.find((quota) => quota.name === name)
    ?.used
const post = (url: string, payload: object) => api.app.inject({ method: 'POST', url: `/admin/api/v1${url}`, headers, payload })
const times = <T>(work: (at: number) => Promise<T>) => Promise.all(Array.from({ length: AT_ONCE }, (_, at) => work(at)))

const SFTP = {
  ...{ kind: 'sftp', host: 'sftp.example', port: 22, user: 'bank', path: '/out', password: 'secret' },
  hostKey: `SHA256:${'A'.repeat(43)}`,
}

/** What uses a quota once; says whether it was admitted. */
type Use = (at: number) => Promise<boolean>

const isAdmitted = (work: Promise<unknown>): Promise<boolean> =>
  work.then(
    () => true,
    (error: unknown) => {
      if (error instanceof QuotaReached) return false
      throw error
    },
  )
const isCreated = async (answer: ReturnType<typeof post>, quota: string): Promise<boolean> => {
  const { statusCode, payload } = await answer
  if (statusCode !== 409) expect(statusCode, payload).toBeLessThan(300)
  else expect(payload).toContain(`quota ${quota}`)
  return statusCode < 300
}

/** By quota: one more of it. */
const USES: Record<string, () => Promise<Use>> = {
  fileFeeds: async () => (at) => isCreated(post('/file-feeds', { name: `Feed ${at}`, source: SFTP }), 'fileFeeds'),
  replays: async () => {
    const key = await addGrantedConnection(api.deps.sync, ours, {
      ...{ connectorKey: 'books', status: 15, entity: { id: '1', name: 'Books' } },
      credentials: { secret: {}, expiresAt: null },
    })
    await api.deps.database.query('update connections set published_at = now() where id = $1', [key.id])
    return () => isCreated(post('/normalized-data/replays', {}), 'replays')
  },
  connections: async () => {
    const companies = await times(() => addCompany(api.deps.database, ours))
    const serviceId = toServiceId('books')
    const opened: OpenLink[] = []
    for (const companyId of companies) opened.push((await openNewLink(api.deps.sync, { instanceId: ours, companyId, serviceId })).open)
    return async (at) => {
      const open = opened[at]
      return open !== undefined && (await isAdmitted(beginAuthorization(api.deps.database, open)))
    }
  },
}

describe.each(Object.keys(USES))('the quota %s', (name) => {
  it(`admits exactly its bound of ${AT_ONCE} at once, and nothing more until there is room`, async () => {
    const use = await USES[name]?.()
    if (!use) throw new Error(name)
    await set({ [name]: BOUND })
    const admitted = await times(use)
    expect(admitted.filter(Boolean)).toHaveLength(BOUND)
    expect(await used(name)).toBe(BOUND)
    const refused = admitted.indexOf(false)
    await set({ [name]: BOUND - 2 })
    expect([await use(refused), await used(name)]).toEqual([false, BOUND])
    await set({ [name]: BOUND + 1 })
    expect([await use(refused), await used(name)]).toEqual([true, BOUND + 1])
    expect(await use(admitted.lastIndexOf(false))).toBe(false)
  })

  it('refuses bounds that are none, and keeps the one before', async () => {
    await set({ [name]: 3 })
    const wrong = [-1, 1.5, '7', 1e16, [1], {}, true]
    const answers = []
    for (const bound of wrong) answers.push((await set({ [name]: bound })).status)
    expect(answers).toEqual(wrong.map(() => 400))
    const { rows } = await api.deps.database.query('select bound::int from instance_quotas where instance_id = $1', [ours])
    expect(rows).toEqual([{ bound: 3 }])
  })
})

describe('the quota storedBytes', () => {
  const store = async (bytes: number, connectionId: string) =>
    await isAdmitted(
      inTransaction(api.deps.database, async (db) => {
        await admitToQuota(db, ours, 'storedBytes', bytes)
        await db.query(
          `insert into source_files (instance_id, id, connection_id, name, content_hash, sealed) values ($1, $2, $3, 'a.ofx', $4, $5)`,
          [ours, randomUUID(), connectionId, Buffer.from(randomUUID()), Buffer.alloc(bytes)],
        )
      }),
    )

  it(`is never passed by ${AT_ONCE} files at once; beyond it nothing is connected, and syncs go on`, async () => {
    const granted = {
      connectorKey: 'books',
      status: 15,
      entity: { id: '1', name: 'Books' },
      credentials: { secret: {}, expiresAt: null },
    } as const
    const { id } = await addGrantedConnection(api.deps.sync, ours, granted)
    await set({ storedBytes: 700 })
    const admitted = await times(() => store(100, id))
    expect([admitted.filter(Boolean).length, await used('storedBytes')]).toEqual([7, 700])
    await set({ storedBytes: 500 })
    const companyId = await addCompany(api.deps.database, ours)
    const { open } = await openNewLink(api.deps.sync, { instanceId: ours, companyId, serviceId: toServiceId('books') })
    expect(await isAdmitted(beginAuthorization(api.deps.database, open))).toBe(false)
    await set({ storedBytes: 700 })
    expect(await isAdmitted(beginAuthorization(api.deps.database, open))).toBe(true)
    expect((await set({ storedBytes: -1 })).status).toBe(400)
  })
})
