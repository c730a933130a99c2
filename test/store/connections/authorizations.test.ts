import { randomBytes, randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  type Authorization,
  abandonAuthorizations,
  claimAuthorization,
  consumeAuthorization,
  createAuthorization,
  expireAuthorizations,
  findAuthorization,
  hasAuthorization,
  listAbandoned,
  prolongAuthorization,
  releaseAuthorization,
  removeAuthorization,
  saveGranted,
} from '../../../src/store/connections/authorizations.ts'
import { databaseForTests } from '../../harness/for-tests.ts'
import { listColumn, setColumns, storeConnection, storeLink, storeTenants, type Tenants } from '../stored.ts'

const test = databaseForTests()
let tenants: Tenants
let [instanceId, otherId, connectionId, linkId] = ['', '', '', '']
beforeEach(async () => {
  await test.database.query('truncate authorizations, links cascade')
  await test.database.query('delete from connections')
  tenants = await storeTenants(test.database)
  ;({ instanceId, otherId } = tenants)
  connectionId = (await storeConnection(test.database, tenants, { status: 6 })).id
  linkId = (await storeLink(test.database, tenants)).id
})

interface Stored extends Authorization {
  stateHash: Buffer
  match: Buffer
}

async function store(more: { lifeMinutes?: number } = {}): Promise<Stored> {
  const given = { instanceId, id: randomUUID(), linkId, connectionId, memo: Buffer.from('memo'), sourceKeysId: randomUUID() }
  const [stateHash, match] = [randomBytes(32), randomBytes(32)]
  await createAuthorization(test.database, { ...given, stateHash, memoMatch: match, lifeMinutes: 30, ...more })
  return { ...given, stateHash, match }
}

const shown = ({ stateHash: _, match: __, ...given }: Stored) => given
const set = (id: string, columns: Record<string, string>) => setColumns(test.database, 'authorizations', { instanceId, id }, columns)
const left = () => listColumn(test.database, 'authorizations', 'id', instanceId)

describe('a pending authorization', () => {
  it('is found by its state until it expires, and is stored once for a state', async () => {
    const { database } = test
    const given = await store()
    await createAuthorization(database, { ...shown(given), id: randomUUID(), stateHash: given.stateHash, memoMatch: null, lifeMinutes: 1 })
    expect(await findAuthorization(database, [randomBytes(32), given.stateHash])).toEqual(shown(given))
    expect(await findAuthorization(database, [randomBytes(32)])).toBe(null)
    expect([
      await hasAuthorization(database, instanceId, connectionId),
      await hasAuthorization(database, otherId, connectionId),
      await hasAuthorization(database, instanceId, randomUUID()),
    ]).toEqual([true, false, false])
    await set(given.id, { expires_at: 'now()' })
    expect(await findAuthorization(database, [given.stateHash])).toBe(null)
  })

  it.each([
    ['in time', {}, false],
    ['too late', { expires_at: 'now()' }, true],
  ])('is consumed once, %s', async (_when, columns, expired) => {
    const { database } = test
    const [given, other] = [await store(), await store()]
    await set(given.id, columns)
    expect(await consumeAuthorization(database, [randomBytes(32), given.stateHash])).toEqual({ ...shown(given), isGranted: false, expired })
    expect([await consumeAuthorization(database, [given.stateHash]), await left()]).toEqual([null, [other.id]])
  })

  it.each<[string, Record<string, string>, boolean]>([
    ['claimed', { claimed_until: `now() + interval '1 minute'` }, false],
    ['claimed before', { claimed_until: `now() - interval '1 second'` }, true],
    ['granted and claimed before', { claimed_until: `now() - interval '1 second'`, is_granted: 'true' }, false],
    ['granted and released', { is_granted: 'true' }, true],
  ])('that a job has %s is consumed by the browser: %j → %s', async (_what, columns, isConsumed) => {
    const given = await store()
    await set(given.id, columns)
    const consumed = await consumeAuthorization(test.database, [given.stateHash])
    expect(consumed).toEqual(isConsumed ? { ...shown(given), isGranted: 'is_granted' in columns, expired: false } : null)
    expect(await left()).toEqual(isConsumed ? [] : [given.id])
  })

  it('is prolonged by what a webhook repeats, never shortened, and not after its end', async () => {
    const { database } = test
    const given = await store()
    const hoursLeft = async () => {
      const [at] = await listColumn(database, 'authorizations', `extract(epoch from expires_at - now())::int`, instanceId)
      return Math.round(Number(at) / 3_600)
    }
    expect(await prolongAuthorization(database, [randomBytes(32)], 24)).toBe(null)
    expect(await prolongAuthorization(database, [randomBytes(32), given.match], 24)).toEqual(given.match)
    expect(await hoursLeft()).toBe(24)
    await prolongAuthorization(database, [given.match], 1)
    expect(await hoursLeft()).toBe(24)
    await set(given.id, { expires_at: `now() - interval '1 hour'` })
    expect([await prolongAuthorization(database, [given.match], 24), await hoursLeft()]).toEqual([null, -1])
  })

  it('is claimed for a time by a job, again and again, and has the grant once it is saved', async () => {
    const { database } = test
    const given = await store()
    expect(await claimAuthorization(database, randomBytes(32), 60)).toBe(null)
    for (const _turn of [1, 2]) expect(await claimAuthorization(database, given.match, 60)).toEqual({ ...shown(given), isGranted: false })
    const seconds = await listColumn(database, 'authorizations', 'extract(epoch from claimed_until - now())::int', instanceId)
    expect(Number(seconds[0])).toBeGreaterThan(50)
    await saveGranted(database, { ...given, instanceId: otherId }, Buffer.from('x'))
    await saveGranted(database, given, Buffer.from('grant'))
    expect(await claimAuthorization(database, given.match, 60)).toEqual({ ...shown(given), memo: Buffer.from('grant'), isGranted: true })
    await releaseAuthorization(database, { ...given, instanceId: otherId })
    expect(await consumeAuthorization(database, [given.stateHash])).toBe(null)
    await releaseAuthorization(database, given)
    expect(await listColumn(database, 'authorizations', 'claimed_until', instanceId)).toEqual([null])
    await set(given.id, { expires_at: 'now()' })
    expect(await claimAuthorization(database, given.match, 60)).toBe(null)
  })

  it('is removed alone, or with all of its connection', async () => {
    const { database } = test
    const [one, two, three] = [await store(), await store(), await store()]
    const elsewhere = (await storeConnection(database, tenants)).id
    await set(three.id, { connection_id: `'${elsewhere}'` })
    await removeAuthorization(database, { ...one, instanceId: otherId })
    expect(await left()).toHaveLength(3)
    await removeAuthorization(database, one)
    expect(await left()).toEqual([two.id, three.id].toSorted())
    await abandonAuthorizations(database, otherId, connectionId)
    expect(await left()).toHaveLength(2)
    await abandonAuthorizations(database, instanceId, connectionId)
    expect(await left()).toEqual([three.id])
  })

  it('that has expired is deleted, and its connection named', async () => {
    const { database } = test
    const [old, current] = [await store(), await store()]
    await set(old.id, { expires_at: 'now()' })
    expect([await expireAuthorizations(database), await expireAuthorizations(database)]).toEqual([
      [{ instanceId, connectionId, linkId }],
      [],
    ])
    expect(await left()).toEqual([current.id])
  })
})

describe('an abandoned connection', () => {
  it('waits for an owner who is not at the source; the longest waiting comes first', async () => {
    const { database } = test
    const second = await storeConnection(database, tenants, { status: 6 })
    await storeConnection(database, tenants, { status: 9 })
    await storeConnection(database, tenants, { status: 6 }, { entity_id: `'e'` })
    const both = [connectionId, second.id].map((id) => ({ instanceId, connectionId: id }))
    expect([await listAbandoned(database, 10), await listAbandoned(database, 1)]).toEqual([both, both.slice(0, 1)])
    await store()
    expect(await listAbandoned(database, 10)).toEqual(both.slice(1))
  })

  it.each<[string, Record<string, string>, boolean]>([
    ['open', {}, false],
    ['completed', { completed_at: 'now()' }, true],
    ['revoked', { revoked_at: 'now()' }, true],
    ['expired', { expires_at: 'now()' }, true],
    ['of another service', { service_id: 'gen_random_uuid()' }, true],
  ])('has a link that is %s: %j → %s', async (_what, columns, isAbandoned) => {
    const { database } = test
    const { serviceId } = await storeConnection(database, tenants, { status: 6 })
    const { id } = await storeLink(database, tenants, { serviceId })
    await setColumns(database, 'links', { instanceId, id }, columns)
    expect(await listAbandoned(database, 10)).toHaveLength(isAbandoned ? 2 : 1)
  })
})
