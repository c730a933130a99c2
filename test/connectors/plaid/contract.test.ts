import { beforeAll, describe, expect, test } from 'vitest'
import { plaidConnector } from '../../../src/connectors/plaid/client.ts'
import { sessionOf } from '../../harness/connector-calls.ts'
import { openForTests } from '../../harness/for-tests.ts'
import { completeLink, startLink } from '../../harness/redirect.ts'
import { BANK, type Harness, link, openHarness, run, walkLink } from './harness.ts'
import { HAS_DOCUMENT, loadProviderDocument } from './provider-document.ts'

const PATHS = [
  '/link/token/create',
  '/link/token/get',
  '/item/public_token/exchange',
  '/item/get',
  '/item/remove',
  '/item/webhook/update',
  '/accounts/get',
  '/accounts/balance/get',
  '/liabilities/get',
  '/transactions/sync',
  '/institutions/get',
  '/institutions/get_by_id',
  '/institutions/search',
  '/webhook_verification_key/get',
  '/sandbox/public_token/create',
  '/sandbox/item/fire_webhook',
  '/sandbox/item/reset_login',
]

const WEBHOOK_SCHEMAS: Record<string, string> = {
  SYNC_UPDATES_AVAILABLE: 'SyncUpdatesAvailableWebhook',
  DEFAULT_UPDATE: 'LiabilitiesDefaultUpdateWebhook',
  ERROR: 'ItemErrorWebhook',
  LOGIN_REPAIRED: 'ItemLoginRepairedWebhook',
  PENDING_DISCONNECT: 'PendingDisconnectWebhook',
  USER_PERMISSION_REVOKED: 'UserPermissionRevokedWebhook',
  USER_ACCOUNT_REVOKED: 'UserAccountRevokedWebhook',
  NEW_ACCOUNTS_AVAILABLE: 'NewAccountsAvailableWebhook',
  WEBHOOK_UPDATE_ACKNOWLEDGED: 'WebhookUpdateAcknowledgedWebhook',
  ITEM_ADD_RESULT: 'ItemAddResultWebhook',
  SESSION_FINISHED: 'LinkSessionFinishedWebhook',
}

describe.skipIf(!HAS_DOCUMENT)('Plaid, checked against its OpenAPI document (skipped when ../shared/specs is absent)', () => {
  const document = openForTests(() => loadProviderDocument(PATHS))
  const harness = openForTests(openHarness)

  beforeAll(async () => {
    await liveThroughEverything(harness)
  })

  test('every operation of the connector and of the sandbox was called', () => {
    expect([...new Set(harness.simulator.requests.map((each) => each.path))].sort()).toEqual([...PATHS].sort())
  })

  test.each(PATHS)('%s: every request matches the document', (path) => {
    const problems = harness.simulator.requests
      .filter((each) => each.path === path)
      .map((each) => document.requestProblem(path, textHeaders(each.headers), each.body))
    expect(problems.filter((problem) => problem !== null)).toEqual([])
  })

  test.each(PATHS)('%s: every answer matches the document', (path) => {
    const problems = harness.simulator.requests
      .filter((each) => each.path === path && each.answer !== null)
      .map((each) => document.responseProblem(path, each.status, JSON.parse(JSON.stringify(each.answer))))
    expect(problems.filter((problem) => problem !== null)).toEqual([])
  })

  test('the document rejects an invalid answer, so these tests can fail', () => {
    expect(document.responseProblem('/accounts/get', 200, { accounts: [{}], request_id: 'x' })).not.toBeNull()
    expect(document.requestProblem('/link/token/create', {}, { language: 'en' })).not.toBeNull()
    expect(document.schemaProblem('SyncUpdatesAvailableWebhook', { webhook_type: 'TRANSACTIONS' })).not.toBeNull()
  })

  test('errors have the shape of PlaidError', () => {
    const failures = harness.simulator.requests.filter((each) => each.status !== 200)
    expect(failures.length).toBeGreaterThan(2)
    expect(failures.map((each) => document.schemaProblem('PlaidError', each.answer)).filter((problem) => problem !== null)).toEqual([])
  })

  test.each(Object.entries(WEBHOOK_SCHEMAS))('webhook %s has the shape %s', (code, schema) => {
    const bodies = harness.simulator.webhooks
      .map((each): { webhook_code: string } => JSON.parse(each.body))
      .filter((body) => body.webhook_code === code)
    expect(bodies.length).toBeGreaterThan(0)
    expect(bodies.map((body) => document.schemaProblem(schema, body)).filter((problem) => problem !== null)).toEqual([])
  })

  test('account types and subtypes of the simulator are in the document', () => {
    const words = document.words('AccountSubtype')
    const unknown = harness.simulator.items().flatMap((item) => item.accounts.filter((account) => !words.includes(account.subtype ?? '')))
    expect(unknown).toEqual([])
  })
})

async function liveThroughEverything(harness: Harness): Promise<void> {
  const { simulator } = harness
  const grant = await link(harness)
  const session = sessionOf(harness, grant)
  const itemId = grant.reference ?? ''
  await run(session, 'accounts')
  const first = await run(session, 'transactions')
  simulator.moveClock(4 * 86_400_000)
  await run(session, 'transactions', first.resume)
  await plaidConnector.listInstitutions?.(harness.kit, null)
  for (const code of Object.keys(WEBHOOK_SCHEMAS).filter((each) => !['ITEM_ADD_RESULT', 'SESSION_FINISHED', 'ERROR'].includes(each))) {
    if (code !== 'WEBHOOK_UPDATE_ACKNOWLEDGED') await simulator.fireWebhook(itemId, code)
  }
  const last = harness.received.at(-1)
  if (last) await plaidConnector.readWebhook?.(harness.kit, last)
  simulator.resetLogin(itemId)
  await run(session, 'accounts').catch(() => null)
  const repair = await startLink(harness, { reconnect: grant.credentials })
  await completeLink(harness, repair.memo, {}, grant).catch(() => null)
  const page = await (await fetch(repair.url)).text()
  await fetch(/action="([^"]+\/login)"/.exec(page)?.[1] ?? '', {
    method: 'POST',
    body: new URLSearchParams({ username: 'user_good', password: 'pass_good' }),
  })
  await completeLink(harness, repair.memo, {}, grant)
  for (const fault of ['rateLimit', 'unavailable', 'institutionDown', 'noLiabilities']) {
    simulator.fault(fault)
    await run(session, 'accounts').catch(() => null)
  }
  const unfinished = await startLink(harness, { locale: 'fr-CA' })
  await completeLink(harness, unfinished.memo).catch(() => null)
  await walkLink(unfinished.url)
  await moveToSandbox(harness)
  await plaidConnector.disconnect?.(harness.kit, grant.credentials)
  await simulator.webhooksSettled()
}

/** Calls that only developers make, by hand. */
async function moveToSandbox(harness: Harness): Promise<void> {
  const post = async (path: string, body: object): Promise<Record<string, string>> => {
    const response = await harness.kit.http({
      method: 'POST',
      url: `${harness.url}${path}`,
      headers: {
        'content-type': 'application/json',
        'plaid-client-id': harness.kit.app.clientId ?? '',
        'plaid-secret': harness.kit.app.secret ?? '',
      },
      body: JSON.stringify(body),
    })
    return JSON.parse(new TextDecoder().decode(response.body))
  }
  const made = await post('/sandbox/public_token/create', {
    institution_id: BANK,
    initial_products: ['transactions', 'liabilities'],
    options: { webhook: harness.webhookUrl },
  })
  const exchanged = await post('/item/public_token/exchange', { public_token: made.public_token ?? '' })
  const token = { access_token: exchanged.access_token ?? '' }
  await post('/accounts/balance/get', token)
  await post('/sandbox/item/fire_webhook', { ...token, webhook_code: 'DEFAULT_UPDATE', webhook_type: 'LIABILITIES' })
  await post('/sandbox/item/reset_login', token)
  await post('/institutions/search', { query: 'bank', country_codes: ['US'], products: ['transactions'] })
  await post('/institutions/get_by_id', {
    institution_id: BANK,
    country_codes: ['US', 'CA'],
    options: { include_status: true, include_optional_metadata: true },
  })
}

function textHeaders(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
}
