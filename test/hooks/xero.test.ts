import { createHmac } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { DENTIST, openHarness, PHYSIO } from '../connectors/xero/harness.ts'
import { openForTests } from '../harness/for-tests.ts'
import { openHooksHarness } from './harness.ts'

const KEY = 'webhook-key-canary'
const UPDATED_INVOICE = { category: 'INVOICE', type: 'UPDATE' } as const

describe('Xero’s webhooks', () => {
  const harness = openForTests(openHarness)
  const hooksHarness = openForTests(() => openHooksHarness({ xero: { ...harness.kit, app: { ...harness.kit.app, webhookKey: KEY } } }))
  let dentist: string

  beforeAll(async () => {
    dentist = await hooksHarness.addConnection({ connectorKey: 'xero', reference: DENTIST })
    await hooksHarness.addConnection({ connectorKey: 'xero', reference: PHYSIO })
  })
  beforeEach(async () => {
    await hooksHarness.sync.database.query('delete from jobs')
  })
  const target = (key = KEY) => ({ url: hooksHarness.hookUrl('xero'), key })
  const queued = async () => (await hooksHarness.listJobs()).map(({ connectionId }) => connectionId)

  test('queue one refresh for all events of an organisation', async () => {
    const events = [UPDATED_INVOICE, { category: 'CREDITNOTE', type: 'CREATE' }, { category: 'CONTACT', type: 'UPDATE' }] as const
    expect(await harness.simulator.webhooks.fire(target(), DENTIST, events)).toEqual({ status: 200, body: '' })
    expect(await queued()).toEqual([dentist])
  })

  test('about contacts queue nothing', async () => {
    expect((await harness.simulator.webhooks.fire(target(), DENTIST, [{ category: 'CONTACT', type: 'CREATE' }])).status).toBe(200)
    expect(await queued()).toEqual([])
  })

  test('about invoices queue nothing if the app may not read the journals', async () => {
    const kit = { ...harness.kit, app: { ...harness.kit.app, webhookKey: KEY, journals: 'no' } }
    const other = await openHooksHarness({ xero: kit })
    await other.addConnection({ connectorKey: 'xero', reference: DENTIST })
    const answer = await harness.simulator.webhooks.fire({ url: other.hookUrl('xero'), key: KEY }, DENTIST, [UPDATED_INVOICE])
    expect([answer.status, await other.listJobs()]).toEqual([200, []])
    await other.close()
  })

  test('signed with another key are refused and queue nothing', async () => {
    expect((await harness.simulator.webhooks.fire(target('guessed'), DENTIST, [UPDATED_INVOICE])).status).toBe(401)
    expect(await queued()).toEqual([])
  })

  test('in the intent to receive are answered as Xero requires: 200 if signed correctly, else 401, no body, no cookie, within 5 s', async () => {
    const answers = []
    for (const isSignedWell of [true, false, false, true]) {
      const startedMs = performance.now()
      const answer = await harness.simulator.webhooks.checkIntent(target(), isSignedWell)
      answers.push({ ...answer, isInTime: performance.now() - startedMs < 5_000 })
    }
    expect(answers).toEqual([200, 401, 401, 200].map((status) => ({ status, body: '', isInTime: true })))
    const plain = await fetch(hooksHarness.hookUrl('xero'), { method: 'POST', body: '{}' })
    expect(plain.headers.get('set-cookie')).toBeNull()
  })

  test('that are signed but cannot be parsed are accepted, so that Xero does not disable the address, and queue nothing', async () => {
    const body = '{"events": "many"}'
    const signature = createHmac('sha256', KEY).update(body).digest('base64')
    const answer = await fetch(target().url, { method: 'POST', body, headers: { 'x-xero-signature': signature } })
    expect([answer.status, await queued()]).toEqual([200, []])
    expect(hooksHarness.logged.some((line) => line.includes('a webhook was not understood'))).toBe(true)
  })
})
