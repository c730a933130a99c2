import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { type Connector, type ConnectorDescription, SourceError } from '../../src/connectors/contract/contract.ts'
import { createSources, type Source } from '../../src/connectors/sources.ts'
import { sealJson } from '../../src/store/keys/sealed-json.ts'
import { findCurrentKeys, listKeysAt, type SourceKeys, writeKeys } from '../../src/store/sources/source-keys.ts'
import { keysContext, openKeys } from '../../src/sync/sources/source-keys.ts'
import { KeysIncomplete, KeysOvertaken, KeysRefused, removeKeys, saveKeys, testAgain } from '../../src/sync/sources/source-keys-change.ts'
import { syncDeps } from '../harness/app/sync-deps.ts'
import { addCompany, addInstance } from '../harness/app/tenants.ts'
import { testDatabase } from '../harness/database.ts'
import { openForTests } from '../harness/for-tests.ts'
import { testKeys } from '../harness/keys.ts'
import { ScriptedSource } from '../sync/scripted-source.ts'

const scripted = new ScriptedSource('books', 'Banking')
let check: ((app: Readonly<Record<string, string>>) => Promise<void>) | null
const load = async (): Promise<Connector> => ({
  ...scripted.connector,
  ...(check === null ? {} : { checkApp: async ({ app }) => await check?.(app) }),
})
const describeSource = (key: string, more: Partial<ConnectorDescription> = {}): ConnectorDescription => ({
  ...scripted.description,
  ...{ key, name: 'Books', appKeys: ['clientId', 'clientSecret'], optionalAppKeys: ['hookSecret'], load },
  ...more,
})
const hidden: string[] = []
const opened = openForTests(async () => {
  const { database, drop } = await testDatabase()
  const sources = createSources([describeSource('books'), describeSource('others')], {
    ...{ settings: {}, simulators: {} },
    createKit: (app, hosts) => ({ http: () => Promise.reject(new Error('no HTTP')), app, hosts, now: () => new Date(0) }),
  })
  const deps = syncDeps({ database, keys: await testKeys(), sources, hide: (value) => void hidden.push(value) })
  return { deps, close: drop }
})

const [ANNA, BO] = ['anna@example.com', 'bo@example.com']
let instanceId: string
let checked: object[]
let now: Date
beforeEach(async () => {
  instanceId = await addInstance(opened.deps.database)
  checked = []
  hidden.splice(0)
  check = async (app) => void checked.push(app)
  now = new Date('2026-03-01T12:00:00Z')
  opened.deps.now = () => now
})
const source = (key = 'books'): Source => {
  const found = opened.deps.sources.get(key)
  if (!found) throw new Error('no source')
  return found
}
const at = (key = 'books') => ({ instanceId, source: source(key) })
type Change = Parameters<typeof saveKeys>[2]
const nothing = async () => undefined
const save = (keys: Record<string, string>, more: Omit<Change, 'keys'> = {}, by = ANNA, record: () => Promise<void> = nothing) =>
  saveKeys(opened.deps, at(), { keys, ...more }, by, record)
const current = () => findCurrentKeys(opened.deps.database, instanceId, 'books')
const values = (keys: SourceKeys | null) => keys && openKeys(opened.deps, source().description, keys).values
const FIRST = { clientId: 'app-1', clientSecret: 'secret-one' }
const connect = async (keysId: string | null, more: { status?: number; entity?: string | null; key?: string } = {}) => {
  const { status = 19, entity = 'e', key = 'books' } = more
  await opened.deps.database.query(
    `insert into connections (instance_id, id, company_id, service_id, connector_key, category, email, status, update_scheduled_at, refresh_hours, entity_id, source_keys_id)
     values ($1, $2, $3, $4, $5, 'Banking', '', $6, now(), 24, $7, $8)`,
    [instanceId, randomUUID(), await addCompany(opened.deps.database, instanceId), randomUUID(), key, status, entity, keysId],
  )
}

describe('keys that are saved', () => {
  it('are tested, sealed, and said to be set now by this user', async () => {
    const recorded: string[] = []
    const saved = await save({ clientId: ' app-1 ', clientSecret: 'secret-one\n' }, {}, ANNA, async () => void recorded.push('once'))
    expect([saved, recorded, checked]).toEqual([{ test: 'accepted', reason: '', connectionsOfOtherApps: 0 }, ['once'], [FIRST]])
    const keys = await current()
    const set = { at: now.toISOString(), by: ANNA }
    expect(keys).toMatchObject({
      ...{ instanceId, connectorKey: 'books', generation: 1, callback: 'own', test: 'accepted', testReason: '' },
      names: { clientId: set, clientSecret: set },
    })
    expect([values(keys), keys?.app.length, JSON.stringify(keys).includes('app-1')]).toEqual([FIRST, 32, false])
    expect(hidden).toContain('secret-one')
    expect(hidden).not.toContain('app-1')
  })

  it('stay where they are left out, with who set them, and one that is emptied goes', async () => {
    await save({ ...FIRST, hookSecret: 'hook-secret' })
    const before = await current()
    now = new Date('2026-04-01T12:00:00Z')
    await save({ clientSecret: 'secret-two' }, { callback: 'shared' }, BO)
    const [first, second] = [before?.names.clientId, { at: now.toISOString(), by: BO }]
    expect(await current()).toMatchObject({
      ...{ id: before?.id, app: before?.app, generation: 2, callback: 'shared' },
      names: { clientId: first, hookSecret: first, clientSecret: second },
    })
    await save({ hookSecret: '  ' })
    const keys = await current()
    expect([values(keys), keys?.callback, Object.keys(keys?.names ?? {}).sort()]).toEqual([
      { ...FIRST, clientSecret: 'secret-two' },
      'shared',
      ['clientId', 'clientSecret'],
    ])
  })

  it('of another app begin without the keys of the one before, which is kept for its connections', async () => {
    await save({ ...FIRST, hookSecret: 'hook-secret' })
    const before = await current()
    await connect(before?.id ?? '')
    await connect(null)
    await connect(before?.id ?? '', { status: 26 })
    await connect(before?.id ?? '', { entity: null })
    await connect(before?.id ?? '', { key: 'others' })
    const saved = await save({ clientId: 'app-2', clientSecret: 'secret-two' }, {}, BO)
    expect(saved.connectionsOfOtherApps).toBe(2)
    const keys = await current()
    const set = { at: now.toISOString(), by: BO }
    expect([values(keys), keys?.names, keys?.generation]).toEqual([
      { clientId: 'app-2', clientSecret: 'secret-two' },
      { clientId: set, clientSecret: set },
      1,
    ])
    const all = await listKeysAt(opened.deps.database, instanceId, 'books')
    expect(all.map(({ id }) => id)).toEqual([keys?.id, before?.id])
    expect(values(all[1] ?? null)).toEqual({ ...FIRST, hookSecret: 'hook-secret' })
    const back = await save(FIRST)
    expect([(await current())?.id, (await current())?.generation, back.connectionsOfOtherApps]).toEqual([before?.id, 2, 1])
    expect(values(await current()), 'its former keys do not come back').toEqual(FIRST)
  })

  it.each([
    ['a required one', { clientId: 'a' }, [{ name: 'clientSecret', message: 'is needed for another app' }]],
    [
      'all required ones',
      {},
      [
        { name: 'clientId', message: 'is needed' },
        { name: 'clientSecret', message: 'is needed' },
      ],
    ],
    ['one that is empty', { clientId: 'a', clientSecret: ' ' }, [{ name: 'clientSecret', message: 'is needed for another app' }]],
    ['none, and one is unknown', { ...FIRST, token: 't' }, [{ name: 'token', message: 'is no key of Books' }]],
  ])('may not lack %s', async (_what, keys, faults) => {
    const error = await save(keys).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(KeysIncomplete)
    expect(error).toMatchObject({ faults })
    expect([checked, await current()]).toEqual([[], null])
  })

  it('of another app are all needed, whatever is stored', async () => {
    await save(FIRST)
    await expect(save({ clientId: 'app-2' })).rejects.toMatchObject({
      faults: [{ name: 'clientSecret', message: 'is needed for another app' }],
    })
    expect(values(await current())).toEqual(FIRST)
  })

  it('that the source refuses are not stored, nor recorded', async () => {
    await save(FIRST)
    check = () => Promise.reject(new SourceError('reconnect', 'the operator’s secret-two is wrong', { isClientRefused: true }))
    const record = async () => {
      throw new Error('recorded')
    }
    const error = await save({ clientSecret: 'secret-two' }, {}, BO, record).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(KeysRefused)
    expect(error).toMatchObject({ message: 'the [secret] is wrong' })
    expect(await current()).toMatchObject({ generation: 1, test: 'accepted' })
  })

  it('that cannot be tested now are stored, with the reason', async () => {
    check = () => Promise.reject(new SourceError('unavailable', 'the source is down'))
    expect(await save(FIRST)).toMatchObject({ test: 'untested', reason: 'the source is down' })
    expect(await current()).toMatchObject({ test: 'untested', testReason: 'the source is down' })
    check = null
    expect(await save(FIRST)).toMatchObject({ test: 'untested', reason: expect.stringContaining('Books says only to an owner') })
  })

  it('are not stored where what comes with them fails', async () => {
    const record = () => Promise.reject(new Error('no audit log'))
    await expect(save(FIRST, {}, ANNA, record)).rejects.toThrow('no audit log')
    expect(await current()).toBeNull()
  })

  it.each(['changed', 'replaced by those of another app', 'deleted'])('are not stored over keys that were %s meanwhile', async (how) => {
    await save(FIRST)
    const before = await current()
    check = async () => {
      check = nothing
      if (how === 'changed') await save({ clientSecret: 'secret-three' })
      if (how === 'replaced by those of another app') await save({ clientId: 'app-3', clientSecret: 'secret-three' })
      if (how === 'deleted') await removeKeys(opened.deps.database, at(), nothing)
    }
    await expect(save({ clientSecret: 'secret-two' })).rejects.toThrow(KeysOvertaken)
    expect(values(await current())?.clientSecret).toBe(how === 'deleted' ? undefined : 'secret-three')
    expect(before?.generation).toBe(1)
  })

  it('are those of one instance at one source', async () => {
    await save(FIRST)
    const mine = instanceId
    instanceId = await addInstance(opened.deps.database)
    expect(await current()).toBeNull()
    await save({ ...FIRST, clientSecret: 'theirs' })
    instanceId = mine
    expect([values(await current()), await findCurrentKeys(opened.deps.database, instanceId, 'others')]).toEqual([FIRST, null])
  })
})

describe('keys that are tested again', () => {
  const again = () => testAgain(opened.deps.database, opened.deps, at())

  it('say what the source answers now', async () => {
    expect(await again()).toBeNull()
    await save(FIRST)
    check = () => Promise.reject(new SourceError('reconnect', 'the app is blocked', { isClientRefused: true }))
    expect(await again()).toEqual({ test: 'refused', reason: 'the app is blocked' })
    expect([await current(), values(await current())]).toMatchObject([
      { test: 'refused', testReason: 'the app is blocked', generation: 1 },
      FIRST,
    ])
    check = nothing
    expect([await again(), (await current())?.test]).toEqual([{ test: 'accepted', reason: '' }, 'accepted'])
  })
})

describe('keys that are removed', () => {
  it('are gone for good, those of earlier apps too, and the connections are counted that have lost theirs', async () => {
    await save(FIRST)
    const first = (await current())?.id ?? ''
    await save({ clientId: 'app-2', clientSecret: 'secret-two' })
    const second = (await current())?.id ?? ''
    for (const id of [first, first, second, null]) await connect(id)
    const other = randomUUID()
    const owner = { instanceId, id: other, generation: 1 }
    const sealed = sealJson(opened.deps.sealer, keysContext(owner), FIRST)
    const rest = { connectorKey: 'others', app: 'x', callback: 'own', sealed, names: {}, test: 'accepted', testReason: '' } as const
    await writeKeys(opened.deps.database, { ...owner, ...rest })
    await connect(other, { key: 'others' })
    const recorded: string[] = []
    expect(await removeKeys(opened.deps.database, at(), async () => void recorded.push('once'))).toBe(3)
    expect([recorded, await listKeysAt(opened.deps.database, instanceId, 'books')]).toEqual([['once'], []])
    expect(await findCurrentKeys(opened.deps.database, instanceId, 'others')).toMatchObject({ id: other })
    expect([await removeKeys(opened.deps.database, at(), async () => void recorded.push('once')), recorded]).toEqual([null, ['once']])
  })

  it('stay where what comes with it fails', async () => {
    await save(FIRST)
    const record = () => Promise.reject(new Error('no audit log'))
    await expect(removeKeys(opened.deps.database, at(), record)).rejects.toThrow('no audit log')
    expect(values(await current())).toEqual(FIRST)
  })
})
