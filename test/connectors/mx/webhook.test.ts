import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { SourceError } from '../../../src/connectors/contract/contract.ts'
import type { Hint } from '../../../src/connectors/contract/hints.ts'
import { mxConnector } from '../../../src/connectors/mx/client.ts'
import { mx } from '../../../src/connectors/mx/index.ts'
import { webhookUrlOf } from '../../../src/sync/provider-webhooks/subscribe.ts'
import { openForTests } from '../../harness/for-tests.ts'
import { startWidget } from '../../harness/redirect.ts'
import { openHooksHarness } from '../../hooks/harness.ts'
import { link, openHarness, walkWidget } from './harness.ts'

const MEMBER = 'MBR-7c6f361b-e582-15b6-60c0-358f12466b4b'

describe('hints from MX’s webhooks', () => {
  const read = async (body: unknown, headers: Record<string, string> = {}): Promise<Hint[]> =>
    (await mxConnector.readWebhook?.({} as never, {
      headers,
      body: new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body)),
    })) ?? []
  const failure = async (body: unknown, headers: Record<string, string> = {}) => {
    const error: unknown = await read(body, headers).catch((thrown: unknown) => thrown)
    return error instanceof SourceError ? error.kind : error
  }

  test.each(['AGGREGATION', 'BALANCE', 'HISTORY', 'Accounts', 'TRANSACTIONS', 'MEMBER', 'CONNECTION_STATUS'])(
    '%s: a member has changed data',
    async (type) => {
      expect(await read({ type, action: 'created', member_guid: MEMBER, user_guid: 'USR-1' })).toEqual([
        { kind: 'changed', reference: MEMBER },
      ])
    },
  )

  test.each(['CHALLENGED', 'DENIED', 'EXPIRED', 'IMPAIRED', 'IMPEDED', 'LOCKED', 'PREVENTED', 'REJECTED'])(
    'a status of %s: the owner is needed',
    async (word) => {
      const body = { type: 'CONNECTION_STATUS', action: 'CHANGED', connection_status: word, connection_status_id: 2, member_guid: MEMBER }
      expect(await read(body)).toEqual([{ kind: 'reconnect', reference: MEMBER }])
    },
  )

  test.each(['CONNECTED', 'DEGRADED', 'A_STATUS_OF_TOMORROW'])('a status of %s: the member is checked', async (word) => {
    expect(await read({ type: 'CONNECTION_STATUS', connection_status: word, member_guid: MEMBER })).toEqual([
      { kind: 'changed', reference: MEMBER },
    ])
  })

  test('irrelevant kinds give no hint', async () => {
    expect([
      await read({ type: 'STATEMENT', member_guid: MEMBER }),
      await read({ type: 'INSIGHT' }),
      await read({ type: 'MEMBER' }),
    ]).toEqual([[], [], []])
  })

  test('our own value in the webhook means that the owner finished, once the data is there', async () => {
    const match = 'a'.repeat(32)
    const headers = { 'x-callback-payload': Buffer.from(match).toString('base64') }
    const hints = await read({ type: 'MEMBER', action: 'member_data_updated', member_guid: MEMBER }, headers)
    expect(hints).toEqual([
      { kind: 'changed', reference: MEMBER },
      { kind: 'linked', memoMatch: match },
    ])
    expect(await read({ type: 'MEMBER', action: 'created', member_guid: MEMBER }, headers)).toEqual([
      { kind: 'changed', reference: MEMBER },
    ])
  })

  test('another value, and an invalid webhook, are bad data and never an internal error', async () => {
    const foreign = { 'x-callback-payload': Buffer.from('not ours').toString('base64') }
    expect(await failure({ type: 'MEMBER', action: 'member_data_updated' }, foreign)).toBe('badData')
    for (const body of ['', 'null', '[]', '{"type":7}', 'no json']) expect(await failure(body)).toBe('badData')
  })
})

describe('webhooks of MX, from the simulator to our endpoint', () => {
  const harness = openForTests(openHarness)
  const hooksHarness = openForTests(() => openHooksHarness({ mx: harness.kit }))

  beforeAll(() => {
    harness.simulator.setWebhookUrl(webhookUrlOf(hooksHarness.sync, hooksHarness.sync.baseUrl, mx))
  })
  beforeEach(async () => {
    await hooksHarness.sync.database.query('delete from jobs')
    await hooksHarness.sync.database.query('delete from connections')
  })

  test('a finished aggregation triggers a sync of that connection', async () => {
    const grant = await link(harness, { companyId: 'company-news' })
    await harness.simulator.webhooksSettled()
    const connectionId = await hooksHarness.addConnection({ connectorKey: 'mx', reference: grant.reference ?? '' })
    harness.moveTime(25 * 3_600_000)
    await harness.simulator.webhooksSettled()
    expect((await hooksHarness.listJobs()).map((job) => job.connectionId)).toEqual([connectionId])
    expect(new Set(harness.simulator.webhooks.map(({ status }) => status))).toEqual(new Set([200]))
  })

  test('an owner whose browser never returns is connected nevertheless', async () => {
    const { widget, match } = await startWidget(harness, { companyId: 'company-lost' })
    await walkWidget(widget)
    await harness.simulator.webhooksSettled()
    const hash = Buffer.from(hooksHarness.sync.hashToken(match)).toString('base64url')
    const { rows } = await hooksHarness.sync.database.query<{ key: string }>(`select key from jobs where kind = 'complete'`)
    expect(rows.map(({ key }) => key)).toEqual([`complete/${hash}`])
  })
})
