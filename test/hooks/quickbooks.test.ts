import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { BAKERY, BUILDER, type Harness, openHarness } from '../connectors/quickbooks/harness.ts'
import { openForTests } from '../harness/for-tests.ts'
import { openHooksHarness } from './harness.ts'

const TOKEN = 'verifier-token-canary'
const JOURNAL_ENTRY = { entity: 'JournalEntry', id: '12', operation: 'created' } as const
const INVOICE = { entity: 'Invoice', id: '7', operation: 'updated' } as const

describe('QuickBooks’ webhooks', () => {
  const harness = openForTests(openHarness)
  const hooksHarness = openForTests(() =>
    openHooksHarness({ quickbooks: { ...harness.kit, app: { ...harness.kit.app, webhookVerifierToken: TOKEN } } }),
  )
  let bakery: string

  beforeAll(async () => {
    bakery = await hooksHarness.addConnection({ connectorKey: 'quickbooks', reference: BAKERY })
    await hooksHarness.addConnection({ connectorKey: 'quickbooks', reference: BUILDER })
  })
  beforeEach(async () => {
    await hooksHarness.sync.database.query('delete from jobs')
  })
  const fire = (
    realmId: string,
    changes: Parameters<Harness['simulator']['fireWebhook']>[2],
    options: { token?: string; form?: 'notifications' } = {},
  ) =>
    harness.simulator.fireWebhook(
      { url: hooksHarness.hookUrl('quickbooks'), verifierToken: options.token ?? TOKEN },
      realmId,
      changes,
      options.form,
    )
  const queued = async () => (await hooksHarness.listJobs()).map(({ connectionId, reason }) => ({ connectionId, reason }))

  test.each([
    ['of today', {}],
    ['of before', { form: 'notifications' }],
  ] as const)('in the form %s queue one refresh of the named company', async (_form, options) => {
    expect(await fire(BAKERY, [JOURNAL_ENTRY], options)).toEqual({ status: 200, body: '' })
    expect(await queued()).toEqual([{ connectionId: bakery, reason: 'hint' }])
  })

  test('about other entities queue nothing', async () => {
    expect((await fire(BAKERY, [INVOICE])).status).toBe(200)
    expect(await queued()).toEqual([])
  })

  test('signed with another token are refused and queue nothing', async () => {
    expect((await fire(BAKERY, [JOURNAL_ENTRY], { token: 'guessed' })).status).toBe(401)
    expect(await queued()).toEqual([])
  })

  test('from a network that was refused too often are refused unread; valid ones are not counted', async () => {
    const app = { ...harness.kit.app, webhookVerifierToken: TOKEN }
    const requestLimits = { perSession: 0, perInstance: 0, perNetwork: 2 }
    const limited = await openHooksHarness({ quickbooks: { ...harness.kit, app } }, { requestLimits })
    const url = limited.hookUrl('quickbooks')
    const statuses: number[] = []
    for (const verifierToken of [TOKEN, TOKEN, TOKEN, 'guessed', 'guessed', TOKEN]) {
      statuses.push((await harness.simulator.fireWebhook({ url, verifierToken }, BAKERY, [INVOICE])).status)
    }
    await limited.close()
    expect(statuses).toEqual([200, 200, 200, 401, 401, 429])
  })

  test('without a signature are refused', async () => {
    const answer = await fetch(hooksHarness.hookUrl('quickbooks'), {
      method: 'POST',
      body: '[]',
      headers: { 'content-type': 'application/json' },
    })
    expect(answer.status).toBe(401)
  })

  test('about a company that nobody connected are accepted and ignored', async () => {
    expect((await fire('4620816365200000999', [JOURNAL_ENTRY])).status).toBe(200)
    expect(await queued()).toEqual([])
  })

  test('queue nothing while no verifier token is set, since they cannot be verified', async () => {
    const other = await openHooksHarness({ quickbooks: harness.kit })
    await other.addConnection({ connectorKey: 'quickbooks', reference: BAKERY })
    const target = { url: other.hookUrl('quickbooks'), verifierToken: '' }
    const signed = await harness.simulator.fireWebhook(target, BAKERY, [JOURNAL_ENTRY])
    expect([signed.status, await other.listJobs()]).toEqual([401, []])
    await other.close()
  })

  test('never write the verifier token to the log', () => {
    expect(hooksHarness.logged.length).toBeGreaterThan(0)
    expect(hooksHarness.logged.filter((line) => line.includes(TOKEN))).toEqual([])
  })
})
