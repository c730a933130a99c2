import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { SourceError } from '../../src/connectors/contract/contract.ts'
import { createSources, type Source } from '../../src/connectors/sources.ts'
import { findCurrentKeys, writeKeys } from '../../src/store/sources/source-keys.ts'
import { alarmWaitMs, clearAlarm, raiseClientAlarm, refuseWhileAlarmed } from '../../src/sync/credentials/credentials-alarm.ts'
import { syncDeps } from '../harness/app/sync-deps.ts'
import { addInstance } from '../harness/app/tenants.ts'
import { testDatabase } from '../harness/database.ts'
import { openForTests } from '../harness/for-tests.ts'
import { testKeys } from '../harness/keys.ts'
import { ScriptedSource } from '../sync/scripted-source.ts'

const logged: [string, Record<string, unknown>, string][] = []
const note = (level: string) => (fields: Record<string, unknown>, message: string) => void logged.push([level, fields, message])
const describeSource = (key: string) => ({ ...new ScriptedSource(key).description, appKeys: ['clientId', 'clientSecret'] })
const opened = openForTests(async () => {
  const { database, drop } = await testDatabase()
  const app = { clientId: 'ours', clientSecret: 's3cret' }
  const sources = createSources([describeSource('live'), describeSource('simulated')], {
    settings: { live: { app } },
    simulators: { simulated: { app } },
    createKit: (keys, hosts) => ({ http: () => Promise.reject(new Error('no HTTP')), app: keys, hosts, now: () => new Date(0) }),
  })
  const log = { info: note('info'), warn: note('warn'), error: note('error') }
  return { deps: syncDeps({ database, keys: await testKeys(), sources, log }), close: drop }
})

let instanceId: string
let keysId: string
let own: Source
beforeEach(async () => {
  const { database } = opened.deps
  await database.query('delete from source_alarms')
  instanceId = await addInstance(database)
  keysId = randomUUID()
  const owner = { instanceId, id: keysId, generation: 3 }
  await writeKeys(database, {
    ...{ ...owner, connectorKey: 'live', app: 'app-7', callback: 'own', sealed: Buffer.from('x'), names: {} },
    ...{ test: 'accepted', testReason: '' },
  })
  own = source('live').withKeys({ owner, app: 'app-7', callback: 'own', values: { clientId: 'theirs', clientSecret: 's3cret-too' } })
  logged.length = 0
})

function source(key: string): Source {
  const found = opened.deps.sources.get(key)
  if (!found) throw new Error('no source')
  return found
}
const refused = (words = "the operator's keys were refused: s3cret-too") => new SourceError('unavailable', words, { isClientRefused: true })
const raise = (of: Source, error = refused()) => raiseClientAlarm(opened.deps, of, error)
const ask = (of: Source) => refuseWhileAlarmed(opened.deps.database, opened.deps.hashToken, of)
const alarms = async () => (await opened.deps.database.query('select connector_key as key, message from source_alarms order by 1')).rows
const tested = async () => {
  const keys = await findCurrentKeys(opened.deps.database, instanceId, 'live')
  return [keys?.test, keys?.testReason]
}
const passTime = () => opened.deps.database.query(`update source_alarms set retry_at = clock_timestamp() - interval '1 second'`)

describe('a source that refuses keys', () => {
  it('of the deployment is an error for the operator, once', async () => {
    await raise(source('live'))
    await raise(source('live'), refused('again'))
    expect(logged).toEqual([
      ['error', { connector: 'live', err: expect.any(SourceError) }, 'the source rejects the keys in sources.json; its jobs wait'],
    ])
    expect([await alarms(), await tested()]).toEqual([[{ key: 'live', message: refused().message }], ['accepted', '']])
  })

  it('of an instance is noted on its keys, without any of them', async () => {
    await raise(own)
    expect(logged).toEqual([
      ['warn', { connector: 'live', instanceId, err: expect.any(SourceError) }, "the source refuses an instance's keys; its jobs wait"],
    ])
    expect([(await alarms()).map(({ key }) => key), await tested()]).toEqual([
      ['live#app-7'],
      ['refused', 'the keys were refused: [secret]'],
    ])
  })

  it('and is a simulator is no error', async () => {
    await raise(source('simulated'))
    expect(logged).toEqual([
      ['warn', { connector: 'simulated', app: null, err: expect.any(SourceError) }, 'the simulator refuses its keys; its jobs wait'],
    ])
  })
})

describe('while a source refuses keys', () => {
  it.each<[string, () => Source, string]>([
    ['the deployment’s', () => source('live'), "Scripted Books refuses the operator's keys"],
    ['an instance’s', () => own, 'Scripted Books refuses the keys of this instance'],
    ['a simulator’s', () => source('simulated'), 'Scripted Books refuses the keys of its simulator'],
  ])('it is not called with %s, and the answer is no news', async (_what, of, message) => {
    await raise(of())
    const error = await ask(of()).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ kind: 'unavailable', message, isClientRefused: true })
    if (!(error instanceof SourceError)) throw new Error('no error of the source')
    expect([(error.retryAfterMs ?? 0) > 290_000, (error.retryAfterMs ?? 0) <= 300_000]).toEqual([true, true])
    logged.length = 0
    await clearAlarm(opened.deps.database, opened.deps.log, of())
    logged.length = 0
    await raise(of(), error)
    expect([await alarms(), logged]).toEqual([[], []])
  })

  it('one caller may try every five minutes', async () => {
    await raise(source('live'))
    await passTime()
    await ask(source('live'))
    await expect(ask(source('live'))).rejects.toMatchObject({ isClientRefused: true })
  })

  it('it is called with other keys, and so are other sources', async () => {
    await raise(own)
    await ask(source('live'))
    await ask(source('simulated'))
    const owner = { instanceId, id: keysId, generation: 4 }
    await ask(source('live').withKeys({ owner, app: 'app-7', callback: 'own', values: { clientId: 'theirs', clientSecret: 'new' } }))
    await expect(ask(own)).rejects.toMatchObject({ isClientRefused: true })
  })
})

describe('a source that accepts keys again', () => {
  it('is told once, and noted on the keys of an instance', async () => {
    await raise(own)
    await raise(source('live'))
    logged.length = 0
    await clearAlarm(opened.deps.database, opened.deps.log, own)
    await clearAlarm(opened.deps.database, opened.deps.log, own)
    expect(logged).toEqual([['info', { connector: 'live' }, 'the source accepts the keys again']])
    expect([(await alarms()).map(({ key }) => key), await tested()]).toEqual([['live'], ['accepted', '']])
    await ask(own)
    await expect(ask(source('live'))).rejects.toMatchObject({ isClientRefused: true })
  })

  it('without an alarm is no news', async () => {
    await raise(own)
    await clearAlarm(opened.deps.database, { ...opened.deps.log, info: note('unexpected') }, source('live'))
    expect([logged.map(([level]) => level), (await tested())[0]]).toEqual([['warn'], 'refused'])
  })
})

it.each([
  [undefined, 300_000],
  [7_000, 7_000],
  [10, 1_000],
])('a job that met refused keys waits: asked for %s ms, %i ms', (retryAfterMs, expected) => {
  expect(alarmWaitMs(new SourceError('unavailable', 'no', retryAfterMs === undefined ? {} : { retryAfterMs }))).toBe(expected)
})
