import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { type Connector, type ConnectorDescription, type Kit, SourceError } from '../../src/connectors/contract/contract.ts'
import type { Hint } from '../../src/connectors/contract/hints.ts'
import { createSources } from '../../src/connectors/sources.ts'
import { sealJson } from '../../src/store/keys/sealed-json.ts'
import { writeKeys } from '../../src/store/sources/source-keys.ts'
import { SYSTEM_INSTANCE_ID } from '../../src/sync/context/system-instance.ts'
import { handleWebhook, type IncomingWebhook } from '../../src/sync/provider-webhooks/hints.ts'
import { hookSecretsOf } from '../../src/sync/provider-webhooks/subscribe.ts'
import { keysContext } from '../../src/sync/sources/source-keys.ts'
import { syncDeps } from '../harness/app/sync-deps.ts'
import { addCompany, addInstance } from '../harness/app/tenants.ts'
import { testDatabase } from '../harness/database.ts'
import { openForTests } from '../harness/for-tests.ts'
import { testKeys } from '../harness/keys.ts'
import { ScriptedSource } from '../sync/scripted-source.ts'

let read: NonNullable<Connector['readWebhook']>
const scripted = new ScriptedSource('books')
const describeSource = (key: string, more: Partial<ConnectorDescription> = {}): ConnectorDescription => ({
  ...{ ...scripted.description, key, appKeys: ['clientId'], load: async () => connectorOf(key) },
  ...more,
})
const connectorOf = (key: string): Connector => ({
  ...scripted.connector,
  ...(key === 'deaf' ? {} : { readWebhook: async (kit, webhook) => await read(kit, webhook) }),
  ...(key === 'greeting' ? { answerHandshake: ({ challenge }) => challenge ?? null } : {}),
})
const opened = openForTests(async () => {
  const { database, drop } = await testDatabase()
  const app = { clientId: 'operator' }
  const sources = createSources(
    [
      ...['signed', 'deaf', 'greeting', 'keyless'].map((key) => describeSource(key)),
      ...['unsigned', 'other'].map((key) => describeSource(key, { unsignedWebhooks: true })),
    ],
    {
      settings: { signed: { app }, deaf: { app }, greeting: { app }, unsigned: { app }, other: { app } },
      simulators: {},
      createKit: (given, hosts) => ({ http: () => Promise.reject(new Error('no HTTP')), app: given, hosts, now: () => new Date(0) }),
    },
  )
  const deps = syncDeps({ database, keys: await testKeys(), sources })
  return { deps, close: drop }
})
const query = async (text: string, values: unknown[] = []) => (await opened.deps.database.query(text, values)).rows

let instanceId: string
let asked: string[]
let warnings: unknown[][]
const hear = (...hints: Hint[]) => {
  read = async ({ app }: Kit) => {
    asked.push(app.clientId ?? '')
    return hints
  }
}
const refuse = (error: Error, unless: string | null = null, hints: Hint[] = []) => {
  read = async ({ app }: Kit) => {
    asked.push(app.clientId ?? '')
    if (app.clientId !== unless) throw error
    return hints
  }
}
beforeEach(async () => {
  instanceId = await addInstance(opened.deps.database)
  await query('delete from jobs')
  await query('delete from connections')
  ;[asked, warnings] = [[], []]
  opened.deps.log.warn = (...line: unknown[]) => void warnings.push(line)
  hear()
})
const handle = (key: string, more: Partial<IncomingWebhook> = {}) =>
  handleWebhook(opened.deps, key, { headers: {}, body: Buffer.from('{}'), query: {}, ...more })

async function keep(clientId: string, key = 'signed', of = instanceId): Promise<string> {
  const owner = { instanceId: of, id: randomUUID(), generation: 1 }
  const sealed = sealJson(opened.deps.sealer, keysContext(owner), { clientId })
  const rest = { connectorKey: key, app: clientId, callback: 'own', sealed, names: {}, test: 'accepted', testReason: '' } as const
  await writeKeys(opened.deps.database, { ...owner, ...rest })
  return owner.id
}
async function connect(reference: string, more: { keysId?: string; key?: string; of?: string } = {}): Promise<string> {
  const { keysId = null, key = 'signed', of = instanceId } = more
  const id = randomUUID()
  await query(
    `insert into connections (instance_id, id, company_id, service_id, connector_key, category, email, status, update_scheduled_at, refresh_hours, entity_id, reference, source_keys_id)
     values ($1, $2, $3, $4, $5, 'Accounting', '', 19, now(), 24, 'e', $6, $7)`,
    [of, id, await addCompany(opened.deps.database, of), randomUUID(), key, reference, keysId],
  )
  return id
}
const syncs = async () => (await query(`select payload->>'connectionId' as id from jobs where kind = 'sync'`)).map(({ id }) => id)

describe('the address of a webhook', () => {
  it.each([
    ['of an unknown source', 'none', {}],
    ['of a source that sends none', 'deaf', {}],
    ['of a source without keys', 'keyless', {}],
    ['of a source that signs, with a secret', 'signed', { secret: 'x' }],
    ['of a source that does not sign, without a secret', 'unsigned', {}],
    ['of a source that does not sign, with another secret', 'unsigned', { secret: 'x'.repeat(43) }],
    ['of an instance without an own app', 'signed', { instanceId: randomUUID() }],
  ])('%s is none, and nothing is read', async (_what, key, more) => {
    hear({ kind: 'changed', reference: 'r' })
    await connect('r', { key })
    expect(await handle(key, more)).toBeNull()
    expect([asked, await syncs()]).toEqual([[], []])
  })

  it('of a source that does not sign has the secret of that source, and of that instance', async () => {
    await keep('own', 'unsigned')
    const secrets = (key: string, of?: string) => hookSecretsOf(opened.deps, key, of)
    const answer = (secret: string | undefined, of?: string) =>
      handle('unsigned', { ...(secret === undefined ? {} : { secret }), ...(of === undefined ? {} : { instanceId: of }) })
    expect(await answer(secrets('unsigned')[0])).toBe('')
    expect(await answer(secrets('unsigned', instanceId)[0], instanceId)).toBe('')
    expect(asked).toEqual(['operator', 'own'])
    expect(await answer(secrets('other')[0])).toBeNull()
    expect(await answer(secrets('unsigned')[0], instanceId)).toBeNull()
    expect(await answer(secrets('unsigned', instanceId)[0])).toBeNull()
    expect(asked).toHaveLength(2)
  })
})

describe('a webhook', () => {
  it('that only asks whether we are there is answered with its text', async () => {
    expect(await handle('greeting', { query: { challenge: 'abc' } })).toBe('abc')
    expect(asked).toEqual([])
    expect(await handle('greeting')).toBe('')
    expect(asked).toEqual(['operator'])
  })

  it('without a good signature is refused, and reads nothing', async () => {
    refuse(new SourceError('reconnect', 'the signature is wrong'))
    await expect(handle('signed')).rejects.toThrow('the signature is wrong')
    expect([asked, warnings]).toEqual([['operator'], []])
  })

  it('that is not understood is taken, so that the source does not send it again', async () => {
    const error = new SourceError('badData', 'not JSON')
    refuse(error)
    expect(await handle('signed')).toBe('')
    expect(warnings).toEqual([[{ err: error, connector: 'signed' }, 'a webhook was not understood']])
  })

  it.each([new SourceError('unavailable', 'down'), new TypeError('a fault')])(
    'that cannot be verified now is not taken: %s',
    async (error) => {
      refuse(error)
      await expect(handle('signed')).rejects.toBe(error)
      expect(warnings).toEqual([])
    },
  )

  it('of an instance is verified with each app that it has had, and with those alone', async () => {
    await keep('former')
    await keep('current')
    await keep('foreign', 'signed', await addInstance(opened.deps.database))
    refuse(new SourceError('reconnect', 'the signature is wrong'), 'former')
    expect(await handle('signed', { instanceId })).toBe('')
    expect(asked).toEqual(['current', 'former'])
    asked = []
    refuse(new SourceError('reconnect', 'the signature is wrong'), 'operator')
    await expect(handle('signed', { instanceId })).rejects.toThrow('the signature is wrong')
    expect(asked).toEqual(['current', 'former'])
    asked = []
    refuse(new SourceError('unavailable', 'down'), 'former')
    await expect(handle('signed', { instanceId }), 'only a bad signature asks the next').rejects.toThrow('down')
    expect(asked).toEqual(['current'])
  })
})

describe('a hint', () => {
  it('queues a sync of the named books of that source, in five seconds', async () => {
    const [one, two] = [await connect('r-1'), await connect('r-2')]
    await connect('r-3')
    await connect('r-1', { key: 'greeting' })
    hear({ kind: 'changed', reference: 'r-1' }, { kind: 'reconnect', reference: 'r-2' })
    expect(await handle('signed')).toBe('')
    const jobs = await query(
      `select key, provider, payload->>'reason' as reason, round(extract(epoch from run_at - clock_timestamp()))::int as seconds from jobs order by key`,
    )
    expect(jobs).toEqual(
      [one, two].sort().map((id) => ({ key: `connection/${id}`, provider: 'signed', reason: 'hint', seconds: expect.any(Number) })),
    )
    expect(jobs.every(({ seconds }) => seconds >= 3 && seconds <= 5)).toBe(true)
  })

  it('is followed two minutes after the last read at the earliest', async () => {
    const id = await connect('r-1')
    await query('update connections set last_read_at = clock_timestamp() where id = $1', [id])
    hear({ kind: 'changed', reference: 'r-1' })
    await handle('signed')
    const [job] = await query('select round(extract(epoch from run_at - clock_timestamp()))::int as seconds from jobs')
    expect([job?.seconds > 110, job?.seconds <= 120]).toEqual([true, true])
  })

  it('to the address of an instance means its connections with own apps', async () => {
    const keysId = await keep('current')
    const mine = await connect('r-1', { keysId })
    await connect('r-1')
    await connect('r-1', { keysId: randomUUID(), of: await addInstance(opened.deps.database) })
    hear({ kind: 'changed', reference: 'r-1' })
    await handle('signed', { instanceId })
    expect(await syncs()).toEqual([mine])
  })

  it('that an authorization is complete lets it be completed, after the browser has had its chance', async () => {
    hear({ kind: 'linked', memoMatch: 'match-1' }, { kind: 'linked', memoMatch: 'match-2' })
    await handle('signed')
    const jobs = await query(
      `select instance_id as instance, kind, key, payload, round(extract(epoch from run_at - clock_timestamp()))::int as seconds from jobs order by created_at, key`,
    )
    const hashes = ['match-1', 'match-2'].map((match) => Buffer.from(opened.deps.hashToken(match)).toString('base64url'))
    expect(jobs.map(({ key, payload }) => [key, payload]).sort()).toEqual(hashes.map((match) => [`complete/${match}`, { match }]).sort())
    for (const { instance, kind, seconds } of jobs)
      expect([instance, kind, seconds > 12 && seconds <= 15]).toEqual([SYSTEM_INSTANCE_ID, 'complete', true])
    expect(await syncs()).toEqual([])
  })

  it('keeps the authorization for six hours, for as long as its completion is tried', async () => {
    const hash = Buffer.from(opened.deps.hashToken('match-3'))
    await query(
      `insert into authorizations (instance_id, id, link_id, connection_id, state_hash, memo, memo_match, expires_at)
       values ($1, gen_random_uuid(), gen_random_uuid(), $4, $2, '', $3, now() + interval '1 minute')`,
      [instanceId, Buffer.from(randomUUID()), hash, await connect('r')],
    )
    hear({ kind: 'linked', memoMatch: 'match-3' })
    await handle('signed')
    const [row] = await query(`select extract(epoch from expires_at - now()) / 3600 as hours from authorizations where memo_match = $1`, [
      hash,
    ])
    expect(Math.round(Number(row?.hours))).toBe(6)
  })
})
