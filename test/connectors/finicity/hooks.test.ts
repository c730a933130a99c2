import { beforeEach, describe, expect, test } from 'vitest'
import { finicity } from '../../../src/connectors/finicity/index.ts'
import { keepSubscribed, webhookUrlOf } from '../../../src/sync/provider-webhooks/subscribe.ts'
import { openForTests } from '../../harness/for-tests.ts'
import { startLink } from '../../harness/redirect.ts'
import { openHooksHarness } from '../../hooks/harness.ts'
import { accountWithRole, link, openHarness, walkLink } from './harness.ts'

const harness = openForTests(() => openHarness({ historyDays: 3, app: { txPush: 'yes' } }))
const hooksHarness = openForTests(() => openHooksHarness({ finicity: harness.kit }))

beforeEach(async () => {
  await hooksHarness.sync.database.query('delete from jobs')
})
const listKinds = async () =>
  (await hooksHarness.sync.database.query('select kind from jobs')).rows.map(({ kind }: { kind: string }) => kind)

describe('the endpoint for Finicity’s webhooks', () => {
  test('after a sync TxPUSH is subscribed; our address echoes the code, and a notice queues a sync', async () => {
    const { credentials, reference = '' } = await link(harness)
    const connectionId = await hooksHarness.addConnection({
      connectorKey: 'finicity',
      reference,
      credentials: { ...credentials, expiresAt: null },
    })
    await keepSubscribed(hooksHarness.sync, { instanceId: hooksHarness.instanceId, connectionId })
    harness.simulator.push(accountWithRole(harness, { credentials, entity: { id: '', name: '' } }, 'card'))
    await harness.simulator.webhooksSettled()
    expect(harness.simulator.verified.length).toBeGreaterThan(10)
    expect(await hooksHarness.listJobs()).toEqual([expect.objectContaining({ connectionId, reason: 'hint' })])
  })

  test('a finished session queues its completion', async () => {
    const { url } = await startLink(harness, { webhookUrl: webhookUrlOf(hooksHarness.sync, hooksHarness.sync.baseUrl, finicity) })
    await walkLink(url)
    await harness.simulator.webhooksSettled()
    expect(await listKinds()).toContain('complete')
  })

  test.each([
    ['without the secret', () => `${hooksHarness.hookUrl('finicity')}?txpush_verify_code=abc`, 404],
    [
      'with a code that is no code',
      () => `${webhookUrlOf(hooksHarness.sync, hooksHarness.sync.baseUrl, finicity)}?txpush_verify_code=%3Cb%3E`,
      401,
    ],
    ['without a code', () => webhookUrlOf(hooksHarness.sync, hooksHarness.sync.baseUrl, finicity), 401],
  ])('a verification request %s is refused', async (_what, url, status) => {
    const response = await fetch(url())
    expect([response.status, (await response.text()).includes('<b>')]).toEqual([status, false])
  })
})
