import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { addCompany, addInstance } from '../../../test/harness/app/tenants.ts'
import { addUser } from '../../../test/harness/app/users.ts'
import { databaseForTests } from '../../../test/harness/for-tests.ts'
import { ScriptedSource } from '../../../test/sync/scripted-source.ts'
import { appKeyTextOf } from '../../connectors/contract/app-key-texts.ts'
import type { ConnectorDescription } from '../../connectors/contract/contract.ts'
import { createSources } from '../../connectors/sources.ts'
import { listCurrentKeys, writeHiddenSource, writeKeys } from '../../store/sources/source-keys.ts'
import { listSourceOverviews } from './source-overview.ts'

const APP = { clientId: 'app', clientSecret: 'secret' }
const describeSource = (key: string, more: Partial<ConnectorDescription> = {}): ConnectorDescription => ({
  ...new ScriptedSource(key).description,
  appKeys: ['clientId', 'clientSecret'],
  optionalAppKeys: ['webhookKey'],
  ...more,
})
const sources = createSources(
  [
    describeSource('keyed'),
    describeSource('operated'),
    describeSource('simulated'),
    describeSource('unset'),
    describeSource('keyless', { appKeys: [], optionalAppKeys: [] }),
  ],
  {
    settings: { operated: { app: APP, callback: 'shared' }, keyed: { app: APP } },
    simulators: { simulated: { app: APP } },
    createKit: (app, hosts) => ({ http: () => Promise.reject(new Error('this source does no HTTP')), app, hosts, now: () => new Date(0) }),
  },
)

const at = databaseForTests()
let instanceId: string
let other: string
let userId: string
let email: string
const keysId = randomUUID()
const formerId = randomUUID()

async function addConnection(instance: string, connectorKey: string, more: { keysId?: string; status?: number; entityId?: string | null }) {
  const { keysId: usedId = null, status = 9, entityId = 'books' } = more
  const companyId = await addCompany(at.database, instance)
  await at.database.query(
    `insert into connections (instance_id, id, company_id, service_id, connector_key, category, status, refresh_hours, email, update_scheduled_at, entity_id, source_keys_id)
     values ($1, $2, $3, $4, $5, 'Accounting', $6, 24, '', now(), $7, $8)`,
    [instance, randomUUID(), companyId, randomUUID(), connectorKey, status, entityId, usedId],
  )
}

async function keep(instance: string, id: string, app: string, more: { names?: object; callback?: 'own' | 'shared' } = {}) {
  const { names = {}, callback = 'shared' } = more
  const key = { instanceId: instance, id, connectorKey: 'keyed', app, generation: 1, sealed: Buffer.from('sealed') }
  await writeKeys(at.database, { ...key, callback, names: { ...names }, test: 'untested', testReason: 'not reached' })
}

beforeAll(async () => {
  const { database } = at
  ;[instanceId, other] = [await addInstance(database), await addInstance(database)]
  ;({ id: userId, email } = await addUser(database, instanceId))
  await keep(instanceId, formerId, 'former')
  const names = {
    clientId: { at: '2026-03-01T10:00:00.000Z', by: userId },
    clientSecret: { at: '2026-03-02T10:00:00.000Z', by: randomUUID() },
  }
  await keep(instanceId, keysId, 'current', { names })
  await writeHiddenSource(database, instanceId, 'operated', true)
  await writeHiddenSource(database, other, 'simulated', true)
  await addConnection(instanceId, 'keyed', { keysId })
  await addConnection(instanceId, 'keyed', { keysId })
  await addConnection(instanceId, 'keyed', { keysId: formerId })
  await addConnection(instanceId, 'keyed', {})
  await addConnection(instanceId, 'operated', {})
  await addConnection(instanceId, 'operated', { keysId: formerId })
  await addConnection(instanceId, 'unset', { status: 26 })
  await addConnection(instanceId, 'unset', { entityId: null })
  await addConnection(other, 'simulated', {})
})

const overviews = async (id: string) =>
  (await listSourceOverviews(at.database, sources, id)).map(({ source, keys: _keys, tested: _tested, ...shown }) => ({
    key: source.description.key,
    ...shown,
  }))
const UNUSED = { isHidden: false, closedBy: null, callback: 'own', connections: 0, connectionsOfOtherApps: 0 }

describe('the sources in the settings of an instance', () => {
  it('say whose keys new connections use, why a source is closed, and how many connections use which app', async () => {
    expect(await overviews(instanceId)).toEqual([
      { ...UNUSED, key: 'keyed', keysFrom: 'instance', callback: 'shared', connections: 4, connectionsOfOtherApps: 2 },
      { ...UNUSED, key: 'operated', keysFrom: 'deployment', isHidden: true, closedBy: 'hidden', connections: 2, connectionsOfOtherApps: 1 },
      { ...UNUSED, key: 'simulated', keysFrom: 'simulator' },
      { ...UNUSED, key: 'unset', keysFrom: 'none', closedBy: 'noKeys' },
      { ...UNUSED, key: 'keyless', keysFrom: 'unneeded' },
    ])
  })

  it('are those of this instance alone', async () => {
    expect(await overviews(other)).toEqual([
      { ...UNUSED, key: 'keyed', keysFrom: 'deployment' },
      { ...UNUSED, key: 'operated', keysFrom: 'deployment' },
      { ...UNUSED, key: 'simulated', keysFrom: 'simulator', isHidden: true, closedBy: 'hidden', connections: 1 },
      { ...UNUSED, key: 'unset', keysFrom: 'none', closedBy: 'noKeys' },
      { ...UNUSED, key: 'keyless', keysFrom: 'unneeded' },
    ])
  })

  it('list the keys of a source, the required ones first, with when and by whom each was set', async () => {
    const [keyed, operated, , , keyless] = await listSourceOverviews(at.database, sources, instanceId)
    const key = (name: string, isRequired: boolean, set: object | null) => ({ name, isRequired, text: appKeyTextOf({}, name), set })
    expect(keyed?.keys).toEqual([
      key('clientId', true, { at: new Date('2026-03-01T10:00:00Z'), by: email }),
      key('clientSecret', true, { at: new Date('2026-03-02T10:00:00Z'), by: null }),
      key('webhookKey', false, null),
    ])
    expect(operated?.keys).toEqual([key('clientId', true, null), key('clientSecret', true, null), key('webhookKey', false, null)])
    expect(keyless?.keys).toEqual([])
  })

  it('show the last test of the own keys, and none without', async () => {
    const [keyed, operated] = await listSourceOverviews(at.database, sources, instanceId)
    const [stored] = await listCurrentKeys(at.database, instanceId)
    expect([keyed?.tested, operated?.tested]).toEqual([stored, null])
    expect(stored).toMatchObject({ id: keysId, test: 'untested', testReason: 'not reached' })
  })
})
