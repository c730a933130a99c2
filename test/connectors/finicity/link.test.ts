import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { InputRefused } from '../../../src/connectors/contract/authorization.ts'
import { finicityConnector } from '../../../src/connectors/finicity/client.ts'
import { failureOf, sessionOf } from '../../harness/connector-calls.ts'
import { everyAccount, openPage, submitPage } from '../../harness/hosted-pages.ts'
import { CALLBACK, completeLink, startLink } from '../../harness/redirect.ts'
import { accountWithRole, BANK, type Harness, KEYS, link, login, loginOf, openHarness, run, walkLink } from './harness.ts'

describe('linking a bank through Data Connect', () => {
  let harness: Harness
  beforeEach(async () => {
    harness = await openHarness()
  })
  afterEach(() => harness.close())

  const refusalOf = async (call: Promise<unknown>) => await call.catch((error: unknown) => error)

  test('search, sign-in with a code and sharing return one grant for the bank, with a token that expires', async () => {
    const { url, memo } = await startLink(harness, { institutionId: null })
    const results = await openPage(`${url}?q=bank`)
    const id = /name="institutionId" value="(\d+)"/.exec(results.html)?.[1] ?? ''
    const signIn = await submitPage(results.html, 'institution', [['institutionId', id]])
    const code = await submitPage(signIn.html, 'login', login('profile_02', 'finbank-code'))
    const accounts = await submitPage(code.html, 'code', [['code', '1234']])
    await submitPage(accounts.html, 'accounts', everyAccount(accounts.html))
    const grants = await completeLink(harness, memo)
    expect(grants.map(({ entity, institution }) => [entity.id, institution?.id])).toEqual([[id, id]])
    expect(grants[0]?.credentials.expiresAt).toBe('2026-11-20T17:00:00.000Z')
  })

  test('the owner returns to our callback with the state, and no other parameter is trusted', async () => {
    const { url, memo } = await startLink(harness, { state: 'state & more' })
    const { leftFor } = await submitPage((await openPage(url)).html, 'exit', [])
    expect(new URL(leftFor ?? '').searchParams.get('state')).toBe('state & more')
    expect(leftFor?.startsWith(CALLBACK)).toBe(true)
    const claimed = { callbackUrl: CALLBACK, query: { code: '200', reason: 'complete' }, memo: memo ?? null }
    const authorize = finicityConnector.authorize
    if (authorize.step !== 'redirect') throw new Error('no redirect')
    expect(await refusalOf(authorize.complete(harness.kit, claimed))).toBeInstanceOf(InputRefused)
  })

  test('a bank that was selected before is not asked for again', async () => {
    const { url } = await startLink(harness)
    expect((await openPage(url)).html).toContain('name="password"')
  })

  test('a wrong password shows the problem, and nothing is shared', async () => {
    const { url } = await startLink(harness)
    const again = await submitPage((await openPage(url)).html, 'login', login('profile_02', 'wrong'))
    expect(again.html).toContain('role="alert"')
    expect(Object.keys(harness.simulator.state.logins)).toEqual([])
  })

  test('pages are in French if the owner’s language is French', async () => {
    const { url } = await startLink(harness, { locale: 'fr-CA' })
    const { html } = await openPage(url)
    expect(html).toContain('<html lang="fr-CA">')
    expect(html).toContain('Mot de passe')
  })

  test.each([
    ['who left', async (url: string) => submitPage((await openPage(url)).html, 'exit', [])],
    ['who never came', async () => {}],
    ['who stopped at the accounts', async (url: string) => submitPage((await openPage(url)).html, 'login', login())],
  ])('an owner %s has authorized nothing, and is told so in both languages', async (_who, walk) => {
    const { url, memo } = await startLink(harness)
    await walk(url)
    const refused = await refusalOf(completeLink(harness, memo))
    expect(refused).toHaveProperty('text.en', expect.stringContaining('No bank was connected'))
    expect(refused).toHaveProperty('text.fr-CA', expect.stringContaining('Aucune banque'))
  })

  test('a company is one customer, and an existing login is not granted again', async () => {
    const first = await link(harness)
    const second = await link(harness, { institutionId: '102107' })
    expect(second.reference).toBe(first.reference)
    expect(second.entity.id).toBe('102107')
    expect(Object.keys(harness.simulator.state.customers)).toHaveLength(1)
  })

  test('the name of a customer does not reveal the company', async () => {
    await startLink(harness, { companyId: 'company-of-note' })
    const [customer] = Object.values(harness.simulator.state.customers)
    expect(customer?.username).toMatch(/^ch-[0-9a-f]{32}$/)
  })

  test('a new login is read for the first time while the owner waits; if that takes long, the link still succeeds', async () => {
    const { url, memo } = await startLink(harness)
    await walkLink(url)
    harness.simulator.fault('slowReading')
    const [grant] = await completeLink(harness, memo)
    if (!grant) throw new Error('no grant')
    expect((await failureOf(run(sessionOf(harness, grant), 'accounts'))).message).toContain('not been read')
    harness.moveTime(86_400_000)
    const credentials = await finicityConnector.refreshCredentials?.(harness.kit, grant.credentials)
    const session = { ...sessionOf(harness, grant), credentials: credentials ?? grant.credentials }
    expect((await run(session, 'accounts')).items.length).toBeGreaterThan(10)
  })

  test('a repair uses Data Connect Fix: the same login, the same accounts', async () => {
    const grant = await link(harness)
    const before = (await run(sessionOf(harness, grant), 'accounts')).items.map(({ origId }) => origId)
    harness.simulator.setStatus(loginOf(grant), 185)
    const { url, memo } = await startLink(harness, { reconnect: grant.credentials, institutionId: null })
    expect(harness.exchanges.at(-1)?.request.url).toContain('/connect/v2/generate/fix')
    await submitPage((await openPage(url)).html, 'login', login())
    const [repaired] = await completeLink(harness, memo, {}, grant)
    expect(repaired?.entity).toEqual(grant.entity)
    const after = (await run({ ...sessionOf(harness, grant), credentials: repaired?.credentials ?? grant.credentials }, 'accounts')).items
    expect(after.map(({ origId }) => origId)).toEqual(before)
  })

  test('a repair that the owner left is refused with its own message', async () => {
    const grant = await link(harness)
    harness.simulator.setStatus(loginOf(grant), 103)
    const { url, memo } = await startLink(harness, { reconnect: grant.credentials })
    await submitPage((await openPage(url)).html, 'exit', [])
    expect(await refusalOf(completeLink(harness, memo, {}, grant))).toHaveProperty('text.en', expect.stringContaining('not renewed'))
  })

  test('a deleted login is linked again at the same bank', async () => {
    const grant = await link(harness)
    await finicityConnector.disconnect?.(harness.kit, grant.credentials)
    const { url, memo } = await startLink(harness, { reconnect: grant.credentials, institutionId: null })
    await walkLink(url)
    const [renewed] = await completeLink(harness, memo, {}, grant)
    expect(renewed?.entity).toEqual(grant.entity)
    expect(loginOf(renewed ?? grant)).not.toBe(loginOf(grant))
  })

  test('a disconnect deletes the login, and the customer with the last one; a second disconnect succeeds', async () => {
    const first = await link(harness)
    const second = await link(harness, { institutionId: '102107' })
    await finicityConnector.disconnect?.(harness.kit, first.credentials)
    expect(Object.keys(harness.simulator.state.logins)).toEqual([String(loginOf(second))])
    expect(Object.keys(harness.simulator.state.customers)).toHaveLength(1)
    await finicityConnector.disconnect?.(harness.kit, second.credentials)
    expect(Object.keys(harness.simulator.state.customers)).toEqual([])
    await expect(finicityConnector.disconnect?.(harness.kit, second.credentials)).resolves.toBeUndefined()
  })

  test('an account whose login is deleted and linked again is recognized by the end of its number', async () => {
    const grant = await link(harness)
    const prints = async (session: ReturnType<typeof sessionOf>) =>
      (await run(session, 'accounts')).items.flatMap((item) =>
        'wire' in item ? [finicityConnector.reidentify?.account(item.wire).descriptions[0]] : [],
      )
    const before = await prints(sessionOf(harness, grant))
    await finicityConnector.disconnect?.(harness.kit, grant.credentials)
    const renewed = await link(harness)
    expect(accountWithRole(harness, renewed, 'card')).not.toBe(undefined)
    expect(await prints(sessionOf(harness, renewed))).toEqual(before)
    expect(new Set(before).size).toBe(before.length)
  })

  test('refused keys are reported to the operator without revealing them', async () => {
    for (const fault of ['partnerRefused', 'partnerLocked', 'keyRefused']) {
      harness.simulator.fault(fault)
      const failure = await failureOf(startLink(harness))
      expect([fault, failure.isClientRefused]).toEqual([fault, true])
      expect(Object.values(KEYS).filter((key) => failure.message.includes(key))).toEqual([])
    }
  })

  test('a refused authentication is tried only once, since five attempts would lock the partner out', async () => {
    harness.simulator.fault('partnerRefused')
    await failureOf(startLink(harness))
    expect(harness.exchanges).toHaveLength(1)
  })

  test('the bank of the request is the one that is opened', async () => {
    await startLink(harness)
    const body: unknown = JSON.parse(String(harness.exchanges.at(-1)?.request.body))
    expect(body).toMatchObject({ institutionId: Number(BANK), singleUseUrl: true, webhook: harness.webhookUrl })
  })
})

describe('the directory', () => {
  let harness: Harness
  beforeEach(async () => {
    harness = await openHarness({ institutionCount: 2_500 })
  })
  afterEach(() => harness.close())

  test('is read page by page with one token, without institutions that moved or have no transactions', async () => {
    const names: string[] = []
    let cursor = null
    let pages = 0
    do {
      const page: Awaited<ReturnType<NonNullable<typeof finicityConnector.listInstitutions>>> | undefined =
        await finicityConnector.listInstitutions?.(harness.kit, cursor)
      if (!page) throw new Error('no directory')
      names.push(...page.institutions.map(({ name }) => name))
      cursor = page.next
      pages += 1
    } while (cursor !== null)
    expect(pages).toBe(3)
    expect(harness.exchanges.filter(({ request }) => request.url.includes('authentication'))).toHaveLength(1)
    expect(names.length).toBeGreaterThan(2_300)
    expect(names.length).toBeLessThan(2_500)
  })

  test('distinguishes Canadian banks from American ones', async () => {
    const page = await finicityConnector.listInstitutions?.(harness.kit, null)
    expect(new Set(page?.institutions.flatMap(({ countries }) => countries))).toEqual(new Set(['US', 'CA']))
  })

  test('refuses a cursor that it never issued', async () => {
    expect((await failureOf(finicityConnector.listInstitutions?.(harness.kit, { page: 'x' }) ?? Promise.resolve())).kind).toBe('badData')
  })
})
