import { request } from 'undici'
import { describe, expect, test } from 'vitest'
import { BASIC_CLIENT, oauthSimulator, REDIRECT_URI } from '../../test/harness/simulator.ts'
import { createQuickbooksSimulator, type QuickbooksSimulatorOptions } from './index.ts'

const REALM = '4620816365200000101'
const QUERY = {
  client_id: 'app',
  redirect_uri: REDIRECT_URI,
  response_type: 'code',
  scope: 'com.intuit.quickbooks.accounting',
  state: 'xyz',
}
const { start, stateFile, page, token, authorize } = oauthSimulator({
  create: (settings: Partial<QuickbooksSimulatorOptions>, given) => createQuickbooksSimulator({ ...given, ...settings }),
  authorizePath: '/connect/oauth2',
  tokenPath: '/oauth2/v1/tokens/bearer',
  query: QUERY,
  answer: { realmId: REALM, decision: 'connect' },
  client: BASIC_CLIENT,
})

async function get(url: string, path: string, accessToken = '', headers: Record<string, string> = { accept: 'application/json' }) {
  const answer = await request(`${url}/v3/company/${REALM}/${path}`, { headers: { ...headers, authorization: `Bearer ${accessToken}` } })
  return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() }
}

const ALL = encodeURI('query?query=select * from Account where Active in (true,false) maxresults 1000')

describe('the consent page', () => {
  test('offers every company of the login, and the buttons Connect and Cancel', async () => {
    const { url } = await start()
    const { text } = await page(url)
    expect(text.match(/type="radio"/g)).toHaveLength(2)
    expect(text).toMatch(/value="connect">Connect<[\s\S]*value="cancel">Cancel</)
  })

  test('offers the only company of a login that has one', async () => {
    const { url } = await start()
    expect((await page(url, { login: 'dale' })).text.match(/type="radio"/g)).toHaveLength(1)
  })
})

describe('the token endpoint', () => {
  test("returns Intuit's token lifetimes", async () => {
    const { url } = await start()
    expect(await authorize(url)).toMatchObject({ token_type: 'bearer', expires_in: 3600, x_refresh_token_expires_in: 8_726_400 })
  })

  test('expires a refresh token that is not used during its lifetime', async () => {
    const { url, simulator } = await start()
    const granted = await authorize(url)
    simulator.moveClock(8_726_401_000)
    const answer = await token(url, { grant_type: 'refresh_token', refresh_token: granted.refresh_token ?? '' })
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  })
})

describe('a restart', () => {
  test('keeps tokens, edits and deleted entries', async () => {
    const state = { stateFile: await stateFile() }
    const first = await start(state)
    const granted = await authorize(first.url)
    first.simulator.editAccount(REALM, '3', { Name: 'Volet renommé' })
    first.simulator.addAccount(REALM, { Name: 'Nouveau', AccountType: 'Bank', Classification: 'Asset' })
    first.simulator.removeJournalEntry(REALM, '4')
    const before = await get(first.url, ALL, granted.access_token)
    const second = await start(state)
    const after = await get(second.url, ALL, granted.access_token)
    const entry = await get(second.url, 'journalentry/4', granted.access_token)
    expect(after.text).toBe(before.text)
    expect(after.text).toContain('Volet renommé')
    expect(entry.status).toBe(400)
  })
})

describe('the books', () => {
  test('lists an edited account among the changes since', async () => {
    const { url, simulator } = await start()
    const { access_token } = await authorize(url)
    simulator.editAccount(REALM, '5', { Active: false })
    const changes = JSON.parse((await get(url, 'cdc?entities=Account&changedSince=2026-07-01T00:00:00Z', access_token)).text)
    expect(changes.CDCResponse[0].QueryResponse[0].Account.map(({ Id }: { Id: string }) => Id)).toEqual(['5'])
  })

  test('refuses changes from more than 30 days back', async () => {
    const { url } = await start()
    const { access_token } = await authorize(url)
    expect((await get(url, 'cdc?entities=Account&changedSince=2026-05-01T00:00:00Z', access_token)).status).toBe(400)
  })

  test('accept a query posted as text', async () => {
    const { url } = await start()
    const { access_token } = await authorize(url)
    const answer = await request(`${url}/v3/company/${REALM}/query?minorversion=75`, {
      method: 'POST',
      headers: { accept: 'application/json', 'content-type': 'application/text', authorization: `Bearer ${access_token}` },
      body: 'select count(*) from JournalEntry',
    })
    expect(await answer.body.json()).toMatchObject({ QueryResponse: { totalCount: 241 } })
  })
})

describe('answers', () => {
  test("carry Intuit's trace id", async () => {
    const { url } = await start()
    expect((await get(url, ALL)).headers.intuit_tid).toMatch(/^1-[0-9a-f]{8}-[0-9a-f]{24}$/)
  })

  test("use the gateway's lower-case envelope for a refused token", async () => {
    const { url } = await start()
    const answer = await get(url, ALL, 'nonsense')
    expect([answer.status, JSON.parse(answer.text).fault.error[0].message]).toEqual([
      401,
      'message=AuthenticationFailed; errorCode=003200; statusCode=401',
    ])
  })

  test('have no Retry-After when throttled', async () => {
    const { url, simulator } = await start()
    simulator.fault('throttle')
    const answer = await get(url, ALL)
    expect([answer.status, answer.headers['retry-after']]).toEqual([429, undefined])
  })
})

describe('queries and reports', () => {
  test('entity names are accepted in any case and returned in Intuit’s own', async () => {
    const { url } = await start()
    const { access_token = '' } = await authorize(url)
    const named = async (entity: string) => JSON.parse((await get(url, `query?query=select * from ${entity}`, access_token)).text)
    expect((await named('account')).QueryResponse).toEqual((await named('Account')).QueryResponse)
    expect((await named('journalENTRY')).QueryResponse.JournalEntry.length).toBeGreaterThan(0)
    expect((await named('accounts')).Fault.Error[0].code).toBe('4001')
  })

  test('the trial balance of a day agrees with the general ledger up to it', async () => {
    const { url } = await start()
    const { access_token = '' } = await authorize(url)
    const report = async (name: string, query: string) => JSON.parse((await get(url, `reports/${name}?${query}`, access_token)).text)
    const trial = await report('TrialBalance', 'end_date=2026-05-31')
    const ledger = await report('GeneralLedger', 'start_date=2026-04-01&end_date=2026-05-31')
    expect([trial.Header.ReportName, trial.Header.EndPeriod, trial.Header.Currency]).toEqual(['TrialBalance', '2026-05-31', 'CAD'])
    const balances = Object.fromEntries(
      trial.Rows.Row.filter((row: { ColData?: unknown }) => row.ColData).map(({ ColData: [account, debit, credit] }: Row) => [
        account?.id,
        debit?.value || `-${credit?.value}`,
      ]),
    )
    const closing = Object.fromEntries(
      ledger.Rows.Row.map(({ Header, Rows }: Section) => [Header.ColData[0]?.id, Rows.Row.at(-1)?.ColData.at(-1)?.value]),
    )
    expect(Object.keys(balances).length).toBeGreaterThan(3)
    for (const [id, balance] of Object.entries(balances)) expect(closing[id], String(id)).toBe(balance)
    const { Summary } = trial.Rows.Row.at(-1)
    expect(Summary.ColData[1].value).toBe(Summary.ColData[2].value)
  })

  test('a report for invalid dates, or without entries, says so', async () => {
    const { url } = await start()
    const { access_token = '' } = await authorize(url)
    const wrong = await get(url, 'reports/TrialBalance?start_date=2026-02-30&end_date=2026-03-01', access_token)
    expect([wrong.status, JSON.parse(wrong.text).Fault.Error[0].Message]).toEqual([400, 'Invalid Date format'])
    const empty = JSON.parse((await get(url, 'reports/GeneralLedger?start_date=1990-01-01&end_date=1990-12-31', access_token)).text)
    expect([empty.Rows.Row, empty.Header.Option]).toEqual([[], [{ Name: 'NoReportData', Value: 'true' }]])
    expect((await get(url, 'reports/Nothing', access_token)).status).toBe(400)
  })
})

type Cells = { value: string; id?: string }[]

interface Row {
  ColData: Cells
}

interface Section {
  Header: Row
  Rows: { Row: Row[] }
}
