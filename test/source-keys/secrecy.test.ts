import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Status } from '../../src/model/statuses.ts'
import { dumpRows, spellingsOf } from '../harness/database.ts'
import { type Customer, openSourceKeysHarness, type Process, type SourceKeysHarness } from './harness.ts'

const OURS = { clientId: 'our-app-81c7', clientSecret: 'canary-secret-4d1c-of-our-app', webhookKey: 'canary-hook-77aa-of-our-app' }
const WRONG = 'canary-wrong-5e5e-of-nobody'
const OPERATOR_KEYS = { clientId: 'operators-app', clientSecret: 'operators-secret-of-xero' }
const SAVE = '/sources/xero/keys'

let harness: SourceKeysHarness
let first: Process
let us: Customer
beforeEach(async () => {
  harness = await openSourceKeysHarness({ operator: OPERATOR_KEYS })
  first = harness.openProcess()
  us = await harness.addCustomer(first)
  Object.assign(harness.apps, { [OURS.clientId]: OURS.clientSecret, [OPERATOR_KEYS.clientId]: OPERATOR_KEYS.clientSecret })
})
afterEach(async () => await harness.close())

describe('a key of an instance', () => {
  it('is in no log line, no response, no event and no column except sealed, whatever happens to it', async () => {
    const answers: string[] = []
    const call = async (method: string, url: string, body?: object) => {
      answers.push((await first.call(us, method, url, body)).text)
    }
    await call('PUT', SAVE, { keys: { ...OURS, clientSecret: WRONG } })
    await call('PUT', SAVE, { keys: OURS })
    await call('PUT', SAVE, { keys: { ...OURS, more: WRONG } })
    await call('PUT', SAVE, { keys: { clientSecret: [WRONG] } })
    const connectionId = await harness.connect(first, us, await harness.addCompany(us))
    await harness.sync(first, us, connectionId)
    // The source no longer accepts them: the alarm, the job's reason and the test report it.
    delete harness.apps[OURS.clientId]
    await harness.home.database.query(`update connections set credentials_refresh_at = now() - interval '1 day'`)
    harness.simulator.fault('unauthorized', 1)
    await harness.sync(first, us, connectionId)
    await call('POST', `${SAVE}/test`)
    harness.setReachable(false)
    await call('POST', `${SAVE}/test`)
    await call('PUT', SAVE, { keys: { clientSecret: WRONG } })
    for (const url of ['/sources', '/sources/xero', '/audit', '/webhooks/events']) await call('GET', url)
    const rows = await dumpRows(harness.home.database)
    expect(rows).toContain(us.instanceId)
    expect(harness.logged.join('\n')).toContain('refuses')
    for (const secret of [OURS.clientSecret, OURS.webhookKey, WRONG])
      for (const spelling of spellingsOf(secret)) {
        expect(rows).not.toContain(spelling)
        expect(harness.logged.join('\n')).not.toContain(spelling)
        expect(answers.join('\n')).not.toContain(spelling)
      }
  })
})

describe('rate limits of a source', () => {
  it('are counted for each app separately, and together with the deployment if the app is the same', async () => {
    const lanes = async () => {
      const { rows } = await harness.home.database.query<{ name: string }>('select distinct connector_key as name from source_limits')
      return rows.map(({ name }) => name)
    }
    await harness.connect(first, us, await harness.addCompany(us))
    expect(await lanes()).toEqual(['xero'])
    await first.call(us, 'PUT', SAVE, { keys: OPERATOR_KEYS })
    await harness.connect(first, us, await harness.addCompany(us))
    expect(await lanes()).toEqual(['xero'])
    await first.call(us, 'PUT', SAVE, { keys: OURS })
    await harness.connect(first, us, await harness.addCompany(us))
    expect(await lanes()).toEqual(expect.arrayContaining(['xero', expect.stringMatching(/^xero#[0-9a-f]{32}$/)]))
    expect((await lanes()).join()).not.toContain(OURS.clientId)
  })
})

describe("an instance's keys", () => {
  it("take precedence over the operator's, whose connections continue", async () => {
    const before = await harness.connect(first, us, await harness.addCompany(us))
    expect((await first.call(us, 'PUT', SAVE, { keys: OURS })).body).toMatchObject({ connectionsOfOtherApps: 1 })
    expect(await harness.appOfLink(first, us, await harness.addCompany(us))).toBe(OURS.clientId)
    expect(await harness.sync(first, us, before)).toBe(Status.Structured)
    const other = await harness.addCustomer(first)
    expect(await harness.appOfLink(first, other, await harness.addCompany(other))).toBe(OPERATOR_KEYS.clientId)
  })
})
