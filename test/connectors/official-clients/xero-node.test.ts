import { request } from 'undici'
import { beforeAll, describe, expect, test } from 'vitest'
import { Account, type ManualJournal, XeroClient } from 'xero-node'
import { serveSimulator } from '../../../simulators/simulator.ts'
import { createXeroSimulator } from '../../../simulators/xero/index.ts'
import { openForTests } from '../../harness/for-tests.ts'
import { leadToSimulator } from './redirect.ts'

const HOSTS = ['identity.xero.com', 'login.xero.com', 'api.xero.com']
const CALLBACK = 'http://127.0.0.1:1/callback'
const DENTIST = 'b0de4d4b-5f6a-4c71-9a3e-000000000101'
const SCOPES = 'openid profile email offline_access accounting.settings.read accounting.journals.read accounting.manualjournals.read'

describe('xero-node, Xero’s own client, at the simulator', () => {
  const running = openForTests(() =>
    serveSimulator((given) => createXeroSimulator({ ...given, clients: { app: 'secret' }, callsPerMinute: 1_000 })),
  )
  const way = openForTests(
    () => leadToSimulator(HOSTS, running.url),
    (way) => way.end(),
  )
  const xero = openForTests(
    () =>
      new XeroClient({
        ...{ clientId: 'app', clientSecret: 'secret', redirectUris: [CALLBACK], scopes: SCOPES.split(' '), state: 'state-1' },
        httpTimeout: 20_000,
      }),
  )
  beforeAll(async () => {
    await xero.initialize()
    await xero.apiCallback(await consent(await xero.buildConsentUrl()))
    await xero.updateTenants()
  })

  /** The owner agrees; returns the address that the browser is redirected to. */
  async function consent(url: string): Promise<string> {
    const body = new URLSearchParams({ businessId: DENTIST, decision: 'allow' }).toString()
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const answer = await request(`${url}&login=nadia`, { method: 'POST', headers, body })
    await answer.body.dump()
    return String(answer.headers.location)
  }

  test('exchanges the code and verifies the id token', () => {
    expect(xero.readTokenSet().claims()).toMatchObject({ iss: 'https://identity.xero.com', email: 'nadia@bow-valley-dental.example' })
  })

  test('finds the organisation with its details', () => {
    expect(
      xero.tenants.map(({ tenantId, tenantType, orgData }) => [tenantId, tenantType, orgData.baseCurrency, orgData.countryCode]),
    ).toEqual([[DENTIST, 'ORGANISATION', 'CAD', 'CA']])
  })

  test('reads every account of the simulator, field by field', async () => {
    const { body } = await xero.accountingApi.getAccounts(DENTIST)
    const told = running.simulator.listAccounts(DENTIST).map(({ AccountID, Code, Name, Status }) => [AccountID, Code, Name, Status])
    expect(body.accounts?.map(({ accountID, code, name, status }) => [accountID, code, name, status])).toEqual(told)
    expect(body.accounts?.every(({ updatedDateUTC }) => updatedDateUTC instanceof Date && !Number.isNaN(updatedDateUTC.getTime()))).toBe(
      true,
    )
  })

  test('filters accounts by its own where clause', async () => {
    const { body } = await xero.accountingApi.getAccounts(DENTIST, undefined, 'Status=="ARCHIVED"')
    expect(new Set(body.accounts?.map(({ status }) => status))).toEqual(new Set([Account.StatusEnum.ARCHIVED]))
  })

  test('reads the journals page by page; only the deliberately unbalanced one does not balance', async () => {
    const numbers: number[] = []
    let crooked = 0
    for (let offset = 0; ; ) {
      const { body } = await xero.accountingApi.getJournals(DENTIST, undefined, offset)
      const page = body.journals ?? []
      if (page.length === 0) break
      for (const { journalNumber = 0, journalLines = [] } of page) {
        numbers.push(journalNumber)
        if (journalLines.reduce((sum, { netAmount = 0 }) => sum + Math.round(netAmount * 100), 0) !== 0) crooked += 1
      }
      offset = numbers.at(-1) ?? 0
    }
    expect(crooked).toBe(1)
    expect(numbers.length).toBeGreaterThan(100)
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b))
  })

  test('reads the manual journals', async () => {
    const { body } = await xero.accountingApi.getManualJournals(DENTIST, undefined, undefined, undefined, 1)
    const isWhole = ({ manualJournalID, date, journalLines = [] }: ManualJournal) =>
      Boolean(manualJournalID && date && journalLines.length > 1)
    expect(body.manualJournals?.length).toBeGreaterThan(0)
    expect(body.manualJournals?.filter((journal) => !isWhole(journal))).toEqual([])
  })

  test('refreshes, and continues with the new token', async () => {
    const before = xero.readTokenSet().access_token
    await xero.refreshToken()
    const { body } = await xero.accountingApi.getOrganisations(DENTIST)
    expect([xero.readTokenSet().access_token === before, body.organisations?.[0]?.name]).toEqual([false, 'Bow Valley Dental'])
  })

  test('recognizes a refusal', async () => {
    running.simulator.fault('missingScope')
    const failure = await xero.accountingApi.getAccounts(DENTIST).catch((error: unknown) => error)
    expect(String(failure)).toContain('AuthorizationUnsuccessful')
  })

  test('revokes the token, and is refused afterwards', async () => {
    const { access_token: token = '' } = xero.readTokenSet()
    await xero.revokeToken()
    xero.accountingApi.accessToken = token
    const failure = await xero.accountingApi.getAccounts(DENTIST).catch((error: unknown) => error)
    expect(String(failure)).toContain('"statusCode":401')
  })

  test('called no other host', () => {
    expect(way.refused).toEqual([])
  })
})
