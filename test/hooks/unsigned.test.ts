import { randomBytes } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { mx } from '../../src/connectors/mx/index.ts'
import { xero } from '../../src/connectors/xero/index.ts'
import { yodlee } from '../../src/connectors/yodlee/index.ts'
import { createLog } from '../../src/process/log.ts'
import { tokenHasher } from '../../src/store/keys/token-hash.ts'
import { webhookUrlOf } from '../../src/sync/provider-webhooks/subscribe.ts'
import { openHarness } from '../connectors/mx/harness.ts'
import { openForTests } from '../harness/for-tests.ts'
import { testKeys } from '../harness/keys.ts'
import { openHooksHarness } from './harness.ts'

const MEMBER = 'MBR-11111111-1111-4111-a111-111111111111'
const BODY = { type: 'AGGREGATION', action: 'member_data_updated', member_guid: MEMBER, user_guid: 'USR-1' }

describe('unsigned webhooks', () => {
  const harness = openForTests(openHarness)
  const hooksHarness = openForTests(() => openHooksHarness({ mx: harness.kit, quickbooks: harness.kit }))
  let address: string
  beforeAll(() => {
    address = webhookUrlOf(hooksHarness.sync, hooksHarness.sync.baseUrl, mx)
  })
  beforeEach(async () => {
    await hooksHarness.sync.database.query('delete from jobs')
    await hooksHarness.sync.database.query('delete from connections')
  })
  const post = async (url: string, body: unknown = BODY, headers: Record<string, string> = {}) => {
    const response = await fetch(url, { method: 'POST', headers, body: typeof body === 'string' ? body : JSON.stringify(body) })
    const { requestId: _own, ...rest }: Record<string, unknown> = response.status === 404 ? JSON.parse(await response.text()) : {}
    return { status: response.status, ...rest }
  }
  const secret = () => address.split('/').at(-1) ?? ''
  const connect = () => hooksHarness.addConnection({ connectorKey: 'mx', reference: MEMBER })
  const countJobs = async () =>
    (await hooksHarness.sync.database.query('select kind from jobs')).rows.map(({ kind }: { kind: string }) => kind)

  test('have an address with 256 secret bits, unlike signed ones', () => {
    expect(secret()).toMatch(/^[\w-]{43}$/)
    expect(address).toBe(`${hooksHarness.hookUrl('mx')}/${secret()}`)
    expect(webhookUrlOf(hooksHarness.sync, hooksHarness.sync.baseUrl, xero)).toBe(hooksHarness.hookUrl('xero'))
  })

  test('have an address that no other deployment and no other source has', async () => {
    const other = { ...hooksHarness.sync, hashToken: tokenHasher(await testKeys()) }
    const secrets = [
      address,
      webhookUrlOf(other, other.baseUrl, mx),
      webhookUrlOf(hooksHarness.sync, hooksHarness.sync.baseUrl, yodlee),
    ].map((url) => url.split('/').at(-1))
    expect(new Set(secrets).size).toBe(3)
  })

  test('queue a sync when sent to the secret address', async () => {
    const connectionId = await connect()
    expect(await post(address)).toEqual({ status: 200 })
    expect(await hooksHarness.listJobs()).toEqual([expect.objectContaining({ connectionId, reason: 'hint' })])
  })

  test.each([
    ['without the secret', () => hooksHarness.hookUrl('mx')],
    ['with an empty one', () => `${hooksHarness.hookUrl('mx')}/`],
    ['with another one', () => `${hooksHarness.hookUrl('mx')}/${randomBytes(32).toString('base64url')}`],
    ['with its beginning', () => address.slice(0, -1)],
    ['with one character more', () => `${address}A`],
    ['with one bit changed', () => address.replace(/.$/, (last) => (last === 'A' ? 'Q' : 'A'))],
    ['in the query', () => `${hooksHarness.hookUrl('mx')}?secret=${secret()}`],
    ['of another source', () => `${hooksHarness.hookUrl('quickbooks')}/${secret()}`],
  ])('%s get the response of an unknown source, and nothing is queued', async (_how, url) => {
    await connect()
    expect(await post(url())).toEqual(await post(hooksHarness.hookUrl('nothing')))
    expect((await post(url())).status).toBe(404)
    expect(await countJobs()).toEqual([])
  })

  test('that cannot be parsed are accepted and ignored, so that the provider does not disable the address', async () => {
    await connect()
    expect([await post(address, 'no json'), await post(address, [1]), await post(address, { type: 'HOLOGRAM' })]).toEqual(
      Array(3).fill({ status: 200 }),
    )
    expect(await countJobs()).toEqual([])
  })

  test('may report that the owner has finished: only a value that we issued is looked up', async () => {
    const match = randomBytes(24).toString('base64url')
    const headers = { 'x-callback-payload': Buffer.from(match).toString('base64') }
    await post(address, { ...BODY, type: 'MEMBER' }, headers)
    expect(await countJobs()).toEqual(['complete'])
  })

  test('leave no trace of the address in the log, whatever the result', async () => {
    await connect()
    const before = hooksHarness.logged.length
    await post(address)
    await post(address, 'no json')
    await fetch(address)
    await post(`${address}/more`)
    await post(address, 'x'.repeat(2 * 1_048_576 + 1))
    await post(`${hooksHarness.hookUrl('quickbooks')}/${secret()}`)
    expect(hooksHarness.logged.length).toBeGreaterThan(before)
    expect(hooksHarness.logged.filter((line) => line.includes(secret().slice(0, 12)))).toEqual([])
  })

  test('leave none even where a whole request is logged', () => {
    const lines: string[] = []
    const log = createLog({ level: 'info', stream: { write: (line: string) => void lines.push(line) } })
    log.info({ req: { method: 'POST', url: `${new URL(address).pathname}?a=b` } }, 'x')
    expect(lines.join('')).toContain('/hooks/mx/…')
    expect(lines.join('')).not.toContain(secret())
  })

  test('have an address that is hidden in every log line from then on', () => {
    const hidden: string[] = []
    webhookUrlOf({ ...hooksHarness.sync, hide: (value) => void hidden.push(value) }, hooksHarness.sync.baseUrl, mx)
    expect(hidden).toEqual([secret()])
  })
})
