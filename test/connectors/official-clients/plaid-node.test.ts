import { Configuration, CountryCode, PlaidApi, Products, SandboxItemFireWebhookRequestWebhookCodeEnum } from 'plaid'
import { beforeAll, describe, expect, test } from 'vitest'
import { createPlaidSimulator } from '../../../simulators/plaid/index.ts'
import { serveSimulator } from '../../../simulators/simulator.ts'
import { openForTests } from '../../harness/for-tests.ts'

const KEYS = { clientId: 'judge-client', secret: 'judge-secret' }
const BANK = 'ins_900001'
const COUNTRIES = [CountryCode.Ca, CountryCode.Us]

describe('plaid, Plaid’s own client, at the simulator', () => {
  const running = openForTests(() => serveSimulator((given) => createPlaidSimulator({ ...given, keys: KEYS, institutionCount: 60 })))
  let client: PlaidApi
  let accessToken: string

  beforeAll(async () => {
    client = clientWith(KEYS.secret)
    const made = await client.sandboxPublicTokenCreate({
      institution_id: BANK,
      initial_products: [Products.Transactions, Products.Liabilities, Products.Auth],
    })
    const exchanged = await client.itemPublicTokenExchange({ public_token: made.data.public_token })
    accessToken = exchanged.data.access_token
  })

  function clientWith(secret: string): PlaidApi {
    const headers = { 'PLAID-CLIENT-ID': KEYS.clientId, 'PLAID-SECRET': secret, 'Plaid-Version': '2020-09-14' }
    return new PlaidApi(new Configuration({ basePath: running.url, baseOptions: { headers } }))
  }

  async function codeOf(call: Promise<unknown>): Promise<unknown> {
    const failure: unknown = await call.catch((error: unknown) => error)
    return Object(failure).response?.data?.error_code
  }

  test('opens a hosted link', async () => {
    const { data } = await client.linkTokenCreate({
      client_name: 'Judge',
      language: 'fr',
      country_codes: COUNTRIES,
      user: { client_user_id: 'company-1' },
      products: [Products.Transactions],
      hosted_link: {},
    })
    expect([data.link_token.startsWith('link-'), URL.canParse(data.hosted_link_url ?? '')]).toEqual([true, true])
    expect((await client.linkTokenGet({ link_token: data.link_token })).data.link_token).toBe(data.link_token)
  })

  test('reads the item, its accounts and its liabilities', async () => {
    const { data: item } = await client.itemGet({ access_token: accessToken })
    const { data: listed } = await client.accountsGet({ access_token: accessToken })
    const { data: owed } = await client.liabilitiesGet({ access_token: accessToken })
    expect(item.item.institution_id).toBe(BANK)
    expect(listed.accounts.length).toBeGreaterThan(1)
    const ids = new Set(listed.accounts.map(({ account_id }) => account_id))
    expect((owed.liabilities.credit ?? []).every(({ account_id }) => ids.has(account_id ?? ''))).toBe(true)
  })

  test('syncs transactions to the end, each once', async () => {
    const seen: string[] = []
    let cursor = ''
    for (let hasMore = true; hasMore; ) {
      const { data } = await client.transactionsSync({ access_token: accessToken, cursor, count: 100 })
      seen.push(...data.added.map(({ transaction_id }) => transaction_id))
      cursor = data.next_cursor
      hasMore = data.has_more
    }
    expect([new Set(seen).size, seen.length > 0]).toEqual([seen.length, true])
    const { data } = await client.transactionsSync({ access_token: accessToken, cursor })
    expect([data.added, data.removed]).toEqual([[], []])
  })

  test('reads account numbers, and the same transactions by day as by sync', async () => {
    const { data: numbers } = await client.authGet({ access_token: accessToken })
    expect(numbers.numbers.ach.length).toBe(numbers.accounts.length)
    expect(numbers.numbers.ach.every(({ account, routing }) => /^\d{8,}$/.test(account) && /^\d{9}$/.test(routing))).toBe(true)
    const seen: string[] = []
    let total = 1
    while (seen.length < total) {
      const options = { count: 100, offset: seen.length }
      const { data } = await client.transactionsGet({
        access_token: accessToken,
        start_date: '2000-01-01',
        end_date: '2099-12-31',
        options,
      })
      seen.push(...data.transactions.map(({ transaction_id }) => transaction_id))
      total = data.total_transactions
    }
    const { data } = await client.transactionsSync({ access_token: accessToken, count: 500 })
    expect(seen.length).toBeGreaterThan(100)
    expect(data.added.map(({ transaction_id }) => transaction_id).sort()).toEqual([...new Set(seen)].sort())
    const { data: none } = await client.transactionsGet({ access_token: accessToken, start_date: '1999-01-01', end_date: '1999-12-31' })
    expect([none.total_transactions, none.transactions]).toEqual([0, []])
  })

  test('pages through the institutions and finds one', async () => {
    const { data } = await client.institutionsGet({ count: 25, offset: 0, country_codes: COUNTRIES })
    const { data: one } = await client.institutionsGetById({ institution_id: BANK, country_codes: COUNTRIES })
    expect([data.total, data.institutions.length, one.institution.institution_id]).toEqual([60, 25, BANK])
  })

  test('is refused at every operation with a wrong secret, and with unknown enum values', async () => {
    const stranger = clientWith('wrong')
    expect(await codeOf(stranger.institutionsGet({ count: 1, offset: 0, country_codes: COUNTRIES }))).toBe('INVALID_API_KEYS')
    const link = { client_name: 'Judge', language: 'en', country_codes: COUNTRIES, user: { client_user_id: 'company-1' } }
    const wrongProduct = Object('transactionz')
    expect(await codeOf(client.linkTokenCreate({ ...link, products: [wrongProduct] }))).toBe('INVALID_PRODUCT')
    expect(await codeOf(client.linkTokenCreate({ ...link, products: [Products.Balance] }))).toBe('INVALID_PRODUCT')
    expect(await codeOf(client.linkTokenCreate({ ...link, products: [Products.Auth], optional_products: [wrongProduct] }))).toBe(
      'INVALID_PRODUCT',
    )
    const elsewhere = { ...link, country_codes: [Object('XX')], products: [Products.Auth] }
    expect(await codeOf(client.linkTokenCreate(elsewhere))).toBe('INVALID_FIELD')
    const dates = { access_token: accessToken, start_date: '2026-02-30', end_date: '2026-03-01' }
    expect(await codeOf(client.transactionsGet(dates))).toBe('INVALID_FIELD')
    expect(await codeOf(client.transactionsGet({ ...dates, start_date: '2026-03-02' }))).toBe('INVALID_FIELD')
  })

  test('reads the errors of a wrong secret, of a login that must be renewed and of a removed item', async () => {
    expect(await codeOf(clientWith('wrong').itemGet({ access_token: accessToken }))).toBe('INVALID_API_KEYS')
    await client.sandboxItemResetLogin({ access_token: accessToken })
    expect(await codeOf(client.accountsGet({ access_token: accessToken }))).toBe('ITEM_LOGIN_REQUIRED')
    const webhook_code = SandboxItemFireWebhookRequestWebhookCodeEnum.DefaultUpdate
    expect(await codeOf(client.sandboxItemFireWebhook({ access_token: accessToken, webhook_code }))).toBe('SANDBOX_WEBHOOK_INVALID')
    await client.itemRemove({ access_token: accessToken })
    expect(await codeOf(client.itemGet({ access_token: accessToken }))).toBe('ITEM_NOT_FOUND')
  })
})
