import { createHmac, randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { toServiceId } from '../../src/model/catalogue.ts'
import { Status } from '../../src/model/statuses.ts'
import { listAlarms } from '../../src/store/sources/source-alarms.ts'
import { findCurrentKeys, findKeys, pruneSourceKeys } from '../../src/store/sources/source-keys.ts'
import { keysContext } from '../../src/sync/sources/source-keys.ts'
import { type Customer, openSourceKeysHarness, type Process, type SourceKeysHarness } from './harness.ts'

const OURS = { clientId: 'our-app-81c7', clientSecret: 'canary-secret-4d1c-of-our-app', webhookKey: 'canary-hook-77aa-of-our-app' }
const THEIRS = { clientId: 'their-app-29d0', clientSecret: 'canary-secret-9e2b-of-their-app' }
const SAVE = '/sources/xero/keys'

let harness: SourceKeysHarness
let first: Process
let us: Customer
let company = ''
beforeEach(async () => {
  harness = await openSourceKeysHarness()
  first = harness.openProcess()
  us = await harness.addCustomer(first)
  company = await harness.addCompany(us)
  Object.assign(harness.apps, { [OURS.clientId]: OURS.clientSecret, [THEIRS.clientId]: THEIRS.clientSecret })
})
afterEach(async () => await harness.close())

const save = (keys: object, customer = us, process = first) => process.call(customer, 'PUT', SAVE, { keys })
const seen = async (customer = us, process = first) => (await process.call(customer, 'GET', '/sources/xero')).body
const link = (customer = us, process = first) =>
  process.call(customer, 'GET', `/normalized-data/company/${company}/data-connection/${toServiceId('xero')}/link`)

describe('a source without any keys', () => {
  it('is in the catalogue, cannot be linked in production, and says why', async () => {
    const services = await first.call(us, 'GET', '/normalized-data/services?FilterQuery=name%20%3D%20Xero')
    expect(services.text).toContain('"isEnabled":false')
    expect(await link()).toMatchObject({ status: 409, body: { Message: 'This service is not enabled here: its keys are not set.' } })
    expect(await seen()).toMatchObject({ isEnabled: false, closedBy: 'noKeys', keysFrom: 'none', tested: null })
  })
})

describe('keys that the source accepts', () => {
  it('enable it for owners, whose books are then read with them', async () => {
    expect(await save(OURS)).toMatchObject({ status: 200, body: { result: 'accepted', reason: '', connectionsOfOtherApps: 0 } })
    expect((await link()).status).toBe(200)
    expect(await harness.appOfLink(first, us, company)).toBe(OURS.clientId)
    const connectionId = await harness.connect(first, us, await harness.addCompany(us))
    expect(await harness.sync(first, us, connectionId)).toBe(Status.Structured)
  })

  it('are shown as set, since when and by whom, and never returned', async () => {
    await save(OURS)
    const answer = await first.call(us, 'GET', '/sources')
    const { keys, tested } = await seen()
    expect(keys).toMatchObject([
      { name: 'clientId', setBy: us.email },
      { name: 'clientSecret', setBy: us.email, isSecret: true },
      { name: 'journals', setOn: null },
      { name: 'webhookKey', setBy: us.email },
    ])
    expect(tested).toMatchObject({ result: 'accepted' })
    for (const value of Object.values(OURS)) for (const part of [value, value.slice(-4)]) expect(answer.text).not.toContain(part)
  })

  it('are used by every other process at once', async () => {
    const second = harness.openProcess()
    expect(await seen(us, second)).toMatchObject({ keysFrom: 'none' })
    await save(OURS)
    expect(await harness.appOfLink(second, us, company)).toBe(OURS.clientId)
    await save(THEIRS, us, second)
    expect(await harness.appOfLink(first, us, company)).toBe(THEIRS.clientId)
  })

  it('stay unchanged if an update omits them, as long as the app is the same', async () => {
    await save(OURS)
    expect((await save({ webhookKey: '' })).status).toBe(200)
    expect((await seen()).keys).toMatchObject([{ setBy: us.email }, { setBy: us.email }, {}, { name: 'webhookKey', setOn: null }])
    expect((await save({ clientId: THEIRS.clientId })).body).toMatchObject({
      errors: [{ field: 'keys.clientSecret', message: 'is needed for another app' }],
    })
  })
})

describe('keys that the source refuses', () => {
  it('are answered with its reason, and nothing is changed', async () => {
    const refused = await save({ ...OURS, clientSecret: 'canary-wrong-secret-of-nobody' })
    expect(refused).toMatchObject({ status: 422 })
    expect(refused.text).toContain('invalid_client')
    expect(refused.text).not.toContain('canary')
    expect(await seen()).toMatchObject({ keysFrom: 'none', tested: null })
    await save(OURS)
    const before = await findCurrentKeys(harness.home.database, us.instanceId, 'xero')
    expect((await save({ clientSecret: 'canary-wrong-secret-of-nobody' })).status).toBe(422)
    expect(await findCurrentKeys(harness.home.database, us.instanceId, 'xero')).toEqual(before)
  })

  it.each([
    ['a key that is missing', { clientId: 'only' }, 'keys.clientSecret'],
    ['a key that the source does not have', { ...OURS, apiKey: 'x' }, 'keys.apiKey'],
  ])('are not even tried with %s', async (_what, keys, field) => {
    const answer = await save(keys)
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ field }] } })
    expect(await seen()).toMatchObject({ keysFrom: 'none' })
  })

  it('are reported if they were valid before, too', async () => {
    await save(OURS)
    delete harness.apps[OURS.clientId]
    expect((await first.call(us, 'POST', `${SAVE}/test`)).body).toMatchObject({ result: 'refused' })
    expect(await seen()).toMatchObject({ tested: { result: 'refused' } })
  })
})

describe('keys that the source refuses later', () => {
  it('alarm the instance that set them, not the operator, whose own are valid', async () => {
    await save(OURS)
    const connectionId = await harness.connect(first, us, company)
    delete harness.apps[OURS.clientId]
    harness.simulator.fault('unauthorized', 1)
    await harness.sync(first, us, connectionId)
    expect((await harness.home.database.query('select from source_alarms')).rowCount).toBe(1)
    const told = { result: 'refused', reason: expect.stringContaining('the clientId or clientSecret was refused') }
    expect(await seen()).toMatchObject({ tested: told })
    expect(await listAlarms(harness.home.database)).toEqual([])
  })
})

describe('keys of an unreachable source', () => {
  it('are saved, and reported as untested', async () => {
    harness.setReachable(false)
    const saved = await save(OURS)
    expect(saved).toMatchObject({ status: 200, body: { result: 'untested' } })
    expect(saved.body.reason).not.toBe('')
    harness.setReachable(true)
    expect((await first.call(us, 'POST', `${SAVE}/test`)).body).toEqual({ result: 'accepted', reason: '' })
  })
})

describe('another customer', () => {
  it('neither sees nor uses them', async () => {
    await save(OURS)
    const other = await harness.addCustomer(first)
    expect(await seen(other)).toMatchObject({ isEnabled: false, keysFrom: 'none', tested: null })
    expect((await first.call(other, 'POST', `${SAVE}/test`)).status).toBe(409)
    expect((await first.call(other, 'DELETE', SAVE)).status).toBe(409)
    await save(THEIRS, other)
    expect(await harness.appOfLink(first, us, company)).toBe(OURS.clientId)
    expect(await harness.appOfLink(first, other, await harness.addCompany(other))).toBe(THEIRS.clientId)
  })

  it('cannot open the sealed row if it is put in its place', async () => {
    await save(OURS)
    const keys = await findCurrentKeys(harness.home.database, us.instanceId, 'xero')
    if (!keys) throw new Error('no keys')
    const { sealer } = first.deps
    expect(sealer.open(keysContext(keys), keys.sealed).length).toBeGreaterThan(0)
    for (const moved of [{ instanceId: randomUUID() }, { id: randomUUID() }, { generation: 2 }])
      expect(() => sealer.open(keysContext({ ...keys, ...moved }), keys.sealed)).toThrow('source_keys.sealed')
  })
})

describe('another app', () => {
  it('is used for new connections: earlier ones continue with the previous app until their owners reconnect', async () => {
    await save(OURS)
    const connectionId = await harness.connect(first, us, company)
    expect((await save(THEIRS)).body).toMatchObject({ connectionsOfOtherApps: 1 })
    expect(await seen()).toMatchObject({ connections: 1, connectionsOfOtherApps: 1 })
    // The token must be refreshed, which Xero only does for the app it was issued to.
    harness.simulator.fault('unauthorized', 1)
    expect(await harness.sync(first, us, connectionId)).toBe(Status.Structured)
    expect(await pruneSourceKeys(harness.home.database)).toBe(0)
    expect(await harness.connect(first, us, company)).toBe(connectionId)
    expect(await seen()).toMatchObject({ connections: 1, connectionsOfOtherApps: 0 })
    expect(await harness.sync(first, us, connectionId)).toBe(Status.Structured)
    expect(await pruneSourceKeys(harness.home.database)).toBe(1)
  })

  it('takes nothing from an owner who was in the middle of an authorization', async () => {
    await save(OURS)
    const { rows } = await harness.home.database.query<{ id: string }>('select id from source_keys')
    await harness.appOfLink(first, us, company)
    await save(THEIRS)
    const begun = await harness.home.database.query<{ id: string }>('select source_keys_id as id from authorizations')
    expect(begun.rows).toEqual(rows)
    expect(await findKeys(harness.home.database, us.instanceId, rows[0]?.id ?? '')).not.toBeNull()
  })
})

describe('deleted keys', () => {
  it('are gone permanently, and the connections made with them say that their owners have to reconnect', async () => {
    await save(OURS)
    const connectionId = await harness.connect(first, us, company)
    expect((await first.call(us, 'DELETE', SAVE)).body).toEqual({ connectionsToReconnect: 1 })
    expect((await harness.home.database.query('select from source_keys')).rowCount).toBe(0)
    expect(await harness.sync(first, us, connectionId)).toBe(Status.Deauthorized)
    expect((await link()).status).toBe(409)
  })
})

describe('a hidden source', () => {
  it('cannot be linked, while existing connections continue', async () => {
    await save(OURS)
    const connectionId = await harness.connect(first, us, company)
    expect((await first.call(us, 'PUT', '/sources/xero', { isHidden: true })).body).toMatchObject({ closedBy: 'hidden', isEnabled: false })
    expect(await link()).toMatchObject({ status: 409, body: { Message: expect.stringContaining('hidden') } })
    expect(await harness.sync(first, us, connectionId)).toBe(Status.Structured)
    await first.call(us, 'PUT', '/sources/xero', { isHidden: false })
    expect((await link()).status).toBe(200)
  })
})

describe('webhooks about an own app', () => {
  it('are verified with its own key, at a separate address', async () => {
    await save(OURS)
    const body = JSON.stringify({ events: [], firstEventSequence: 0, lastEventSequence: 0, entropy: 'S0m3r4nd0m' })
    const post = async (address: string, key: string) => {
      const headers = { 'content-type': 'application/json', 'x-xero-signature': createHmac('sha256', key).update(body).digest('base64') }
      return (await first.app.inject({ method: 'POST', url: new URL(address).pathname, headers, payload: body })).statusCode
    }
    const address = String((await seen()).webhookUrl)
    expect(await post(address, OURS.webhookKey)).toBe(200)
    expect(await post(address, 'another key')).toBe(401)
    const other = await harness.addCustomer(first)
    expect(await post(String((await seen(other)).webhookUrl), OURS.webhookKey)).toBe(404)
    expect(await post('https://counting.example.com/hooks/xero', OURS.webhookKey)).toBe(404)
  })

  it('queue no sync of another instance, even where they name its connection', async () => {
    await save({ ...OURS, journals: 'yes' })
    const other = await harness.addCustomer(first)
    await save({ ...THEIRS, journals: 'yes', webhookKey: 'their-hook' }, other)
    const ours = await harness.connect(first, us, company)
    const theirs = await harness.connect(first, other, await harness.addCompany(other))
    const { database } = harness.home
    await database.query("update connections set reference = 'theirs' where id = $1", [theirs])
    const { rows } = await database.query<{ reference: string }>('select reference from connections where id = $1', [ours])
    await database.query("delete from jobs where kind = 'sync'")
    const events = [rows[0]?.reference, 'theirs'].map((tenantId) => ({ tenantId, eventCategory: 'INVOICE' }))
    const payload = JSON.stringify({ events, firstEventSequence: 1, lastEventSequence: 2, entropy: 'S0m3r4nd0m' })
    const headers = {
      'content-type': 'application/json',
      'x-xero-signature': createHmac('sha256', OURS.webhookKey).update(payload).digest('base64'),
    }
    const url = new URL(String((await seen()).webhookUrl)).pathname
    expect((await first.app.inject({ method: 'POST', url, headers, payload })).statusCode).toBe(200)
    const queued = await database.query<{ id: string }>("select payload ->> 'connectionId' as id from jobs where kind = 'sync'")
    expect(queued.rows).toEqual([{ id: ours }])
  })
})

describe('a change of keys', () => {
  it('is in the audit log, with the names of the keys only', async () => {
    await save(OURS)
    await first.call(us, 'DELETE', SAVE)
    const { text } = await first.call(us, 'GET', '/audit')
    expect(text).toContain('source-keys.saved')
    expect(text).toContain('clientId, clientSecret, webhookKey')
    expect(text).toContain('source-keys.removed')
    expect(text).not.toContain('canary')
  })
})
