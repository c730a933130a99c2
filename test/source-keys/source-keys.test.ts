import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import type { ConnectorDescription } from '../../src/connectors/contract/contract.ts'
import { createSources, type Source } from '../../src/connectors/sources.ts'
import { toServiceId } from '../../src/model/catalogue.ts'
import { ensureChildService } from '../../src/store/connections/child-services.ts'
import { sealJson } from '../../src/store/keys/sealed-json.ts'
import { deleteKeys, writeKeys } from '../../src/store/sources/source-keys.ts'
import { SYSTEM_INSTANCE_ID } from '../../src/sync/context/system-instance.ts'
import { findService, listServices } from '../../src/sync/sources/catalogue.ts'
import { readSourceAccess, serviceAsOffered } from '../../src/sync/sources/source-access.ts'
import {
  hookOwnerOf,
  keysContext,
  sourceForNewConnection,
  sourceOfAuthorization,
  sourceOfConnection,
  sourceOfDeployment,
  sourceOfInstance,
  sourcesOfInstance,
} from '../../src/sync/sources/source-keys.ts'
import { syncDeps } from '../harness/app/sync-deps.ts'
import { addInstance } from '../harness/app/tenants.ts'
import { testDatabase } from '../harness/database.ts'
import { openForTests } from '../harness/for-tests.ts'
import { testKeys } from '../harness/keys.ts'
import { ScriptedSource } from '../sync/scripted-source.ts'

const OPERATOR = { clientId: 'operator', clientSecret: 'secret-of-the-operator' }
const describeSource = (key: string, more: Partial<ConnectorDescription> = {}): ConnectorDescription => ({
  ...new ScriptedSource(key, 'Banking').description,
  ...{ appKeys: ['clientId', 'clientSecret'], hasInstitutions: true },
  ...more,
})
const hidden: string[] = []
const opened = openForTests(async () => {
  const { database, drop } = await testDatabase()
  const sources = createSources(
    [
      describeSource('operated'),
      describeSource('unset'),
      describeSource('keyless', { appKeys: [] }),
      describeSource('simulated', { isExample: true }),
    ],
    {
      settings: { operated: { app: OPERATOR } },
      simulators: { simulated: { app: { clientId: 'sim' }, servedAt: 'http://127.0.0.1:9999' } },
      createKit: (app, hosts) => ({ http: () => Promise.reject(new Error('no HTTP')), app, hosts, now: () => new Date(0) }),
    },
  )
  const deps = syncDeps({ database, keys: await testKeys(), sources, hide: (value) => void hidden.push(value) })
  return { deps, close: drop }
})

let ours: string
let theirs: string
const [current, former, foreign] = [randomUUID(), randomUUID(), randomUUID()]
const source = (key: string): Source => {
  const found = opened.deps.sources.get(key)
  if (!found) throw new Error('no source')
  return found
}
const appOf = (given: Source | null | undefined) => given?.kit.app.clientId ?? null

async function keep(instanceId: string, id: string, connectorKey: string, clientId: string): Promise<void> {
  const owner = { instanceId, id, generation: 1 }
  const sealed = sealJson(opened.deps.sealer, keysContext(owner), { clientId, clientSecret: `secret-of-${clientId}` })
  await writeKeys(opened.deps.database, {
    ...{ ...owner, connectorKey, app: clientId, callback: 'own', sealed, names: {}, test: 'accepted', testReason: '' },
  })
}

beforeAll(async () => {
  const { database } = opened.deps
  ;[ours, theirs] = [await addInstance(database), await addInstance(database)]
  await database.query(`update instances set kind = case when id = $1 then 'test' else 'live' end where id in ($1, $2)`, [ours, theirs])
  await keep(ours, former, 'operated', 'former')
  await keep(ours, current, 'operated', 'current')
  await keep(theirs, foreign, 'unset', 'foreign')
})

describe('the source of an instance', () => {
  const fresh = async (key: string, instanceId: string) =>
    appOf(await sourceForNewConnection(opened.deps.database, opened.deps, source(key), instanceId))

  it('has the instance’s own keys for a new connection, and the deployment’s otherwise', async () => {
    expect([await fresh('operated', ours), await fresh('operated', theirs)]).toEqual(['current', 'operator'])
    expect([await fresh('unset', ours), await fresh('unset', theirs)]).toEqual([null, 'foreign'])
    expect(await sourceForNewConnection(opened.deps.database, opened.deps, source('keyless'), ours)).toBe(source('keyless'))
    const ofInstance = async (key: string, id: string) => appOf(await sourceOfInstance(opened.deps, source(key), id))
    expect([await ofInstance('operated', ours), await ofInstance('operated', theirs)]).toEqual(['current', 'operator'])
  })

  it('has the keys that an authorization was begun with, whatever they are now', async () => {
    const of = async (sourceKeysId: string | null, instanceId = ours) =>
      appOf(await sourceOfAuthorization(opened.deps, source('operated'), { instanceId, sourceKeysId }))
    expect([await of(former), await of(current), await of(null)]).toEqual(['former', 'current', 'operator'])
    const keyed = await sourceForNewConnection(opened.deps.database, opened.deps, source('operated'), ours)
    expect(appOf(await sourceOfAuthorization(opened.deps, keyed, { instanceId: ours, sourceKeysId: null }))).toBe('operator')
  })

  it('has no keys of another instance, and none that were deleted', async () => {
    const of = (sourceKeysId: string, instanceId: string) =>
      sourceOfAuthorization(opened.deps, source('operated'), { instanceId, sourceKeysId })
    const refused = { kind: 'reconnect', message: 'the keys of the app at Scripted Books have been deleted' }
    await expect(of(current, theirs)).rejects.toMatchObject(refused)
    await expect(of(randomUUID(), ours)).rejects.toMatchObject(refused)
  })

  it('redacts the secrets of opened keys in logs, and not what is public', async () => {
    hidden.length = 0
    await sourceForNewConnection(opened.deps.database, opened.deps, source('operated'), ours)
    expect(hidden).toEqual(['secret-of-current'])
  })

  it('is bound to the books of a connection: by its handle, or else by its entity', async () => {
    const bound: (string | null)[] = []
    const plain = source('operated')
    const noting = {
      ...plain,
      forTenant: () => noting,
      forEntity: (entity: string | null) => {
        bound.push(entity)
        return plain
      },
    }
    const deps = { ...opened.deps, sources: new Map([['operated', noting]]) }
    const of = (reference: string | null, entityId: string | null) =>
      sourceOfConnection(deps, noting, { instanceId: theirs, sourceKeysId: null, reference, entityId })
    for (const [reference, entity] of [
      ['handle', 'books'],
      [null, 'books'],
      [null, null],
    ] as const)
      await of(reference, entity)
    expect(bound).toEqual(['handle', 'books', null])
  })
})

describe('sources whose webhooks may arrive', () => {
  const appsOf = async (key: string, instanceId: string) => (await sourcesOfInstance(opened.deps, key, instanceId)).map(appOf)

  it('are those with each set of keys of the instance, the current one first', async () => {
    expect([await appsOf('operated', ours), await appsOf('operated', theirs), await appsOf('unset', theirs)]).toEqual([
      ...[['current', 'former'], [], ['foreign']],
    ])
    expect([await appsOf('unset', ours), await appsOf('missing', ours)]).toEqual([[], []])
  })

  it('include the simulator of a test instance', async () => {
    expect([await appsOf('simulated', ours), await appsOf('simulated', theirs)]).toEqual([['sim'], []])
  })

  it('have an address of the instance where they have its keys or its simulator', async () => {
    const [keyed] = await sourcesOfInstance(opened.deps, 'operated', ours)
    const [simulator] = await sourcesOfInstance(opened.deps, 'simulated', ours)
    if (!keyed || !simulator) throw new Error('no source')
    expect([hookOwnerOf(keyed, theirs), hookOwnerOf(simulator, ours), hookOwnerOf(source('operated'), ours)]).toEqual([
      ...[ours, ours, undefined],
    ])
  })
})

describe('the source for what is common to all instances', () => {
  const shared = async (given: Source) => await sourceOfDeployment(opened.deps, given)

  it('has the deployment’s keys, also where an instance has its own', async () => {
    expect(appOf(await shared(source('operated')))).toBe('operator')
    const keyed = await sourceForNewConnection(opened.deps.database, opened.deps, source('operated'), ours)
    expect(appOf(await shared(keyed))).toBe('operator')
  })

  it('has those of any instance where the deployment has none, and none without any', async () => {
    expect(appOf(await shared(source('unset')))).toBe('foreign')
    await deleteKeys(opened.deps.database, theirs, 'unset')
    const found = await shared(source('unset'))
    await keep(theirs, foreign, 'unset', 'foreign')
    expect([appOf(found), found.isEnabled]).toEqual([null, false])
  })

  it('is a simulator of no instance', async () => {
    expect((await shared(source('simulated'))).app).toBe(SYSTEM_INSTANCE_ID)
  })
})

describe('the services of an instance', () => {
  const bank = randomUUID()
  beforeAll(async () => {
    const child = { id: bank, connectorKey: 'operated', institutionId: 'i-7', name: 'Harbor' }
    await ensureChildService(opened.deps.database, ours, child)
    await ensureChildService(opened.deps.database, ours, { ...child, id: randomUUID(), connectorKey: 'gone', name: 'Gone' })
  })
  const namesOf = async (id: string) => (await listServices(opened.deps.database, opened.deps.sources, id)).map(({ title }) => title)
  const find = (id: string, instanceId = ours) => findService(opened.deps.database, opened.deps.sources, instanceId, id)

  it('are all sources and the banks that it has reached, of a live one without examples', async () => {
    const all = Array.from({ length: 4 }, () => 'Scripted Books')
    expect(await namesOf(ours)).toEqual([...all, 'Harbor via Scripted Books'])
    expect(await namesOf(theirs)).toEqual(all.slice(1))
  })

  it('are found by their ids in any case, and by no other instance', async () => {
    const operated = toServiceId('operated')
    expect(await find(operated.toUpperCase())).toMatchObject({
      ...{ id: operated, isEnabled: true, environment: 'production', name: 'Scripted Books', title: 'Scripted Books', parentId: null },
      ...{ parentName: null, category: 'Banking', supportedEntities: ['Accounts'], institutionId: null },
    })
    expect(await find(bank)).toMatchObject({
      ...{ id: bank, name: 'Harbor', title: 'Harbor via Scripted Books', parentId: operated, parentName: 'Scripted Books' },
      ...{ institutionId: 'i-7', category: 'Banking' },
    })
    expect([await find(bank, theirs), await find(randomUUID())]).toEqual([null, null])
    expect([(await find(toServiceId('simulated')))?.source.app, await find(toServiceId('simulated'), theirs)]).toEqual([ours, null])
  })

  it('are offered to owners with the own keys, unless they are hidden or have none', async () => {
    const { database } = opened.deps
    const offered = async (key: string, instanceId: string) => {
      const service = await find(toServiceId(key), instanceId)
      if (!service) throw new Error('no service')
      const { isEnabled, source: own, ...others } = await serviceAsOffered(database, opened.deps, instanceId, service)
      expect(others).toEqual({ ...service, isEnabled: undefined, source: undefined, ...others })
      return [isEnabled, appOf(own)]
    }
    expect([await offered('operated', ours), await offered('unset', ours), await offered('unset', theirs)]).toEqual([
      ...[
        [true, 'current'],
        [false, null],
        [true, 'foreign'],
      ],
    ])
    await database.query('insert into hidden_sources (instance_id, connector_key) values ($1, $2)', [ours, 'operated'])
    expect(await readSourceAccess(database, ours)).toEqual({ hidden: new Set(['operated']), keyed: new Set(['operated']) })
    expect([await offered('operated', ours), await offered('operated', theirs)]).toEqual([
      ...[
        [false, 'current'],
        [true, 'operator'],
      ],
    ])
  })
})
