import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { InputRefused } from '../../../src/connectors/contract/authorization.ts'
import { plaidConnector } from '../../../src/connectors/plaid/client.ts'
import { sessionOf } from '../../harness/connector-calls.ts'
import { everyAccount, openPage, submitPage } from '../../harness/hosted-pages.ts'
import { CALLBACK, completeLink, startLink } from '../../harness/redirect.ts'
import { BANK, GOOD_LOGIN, type Harness, link, openHarness, run, walkLink } from './harness.ts'

describe('linking a bank through the hosted Link', () => {
  let harness: Harness
  beforeEach(async () => {
    harness = await openHarness()
  })
  afterEach(() => harness.close())

  test('search, sign-in, account selection and finishing return one grant for the bank', async () => {
    const { url, memo } = await startLink(harness, { institutionId: null })
    const results = await openPage(`${url}?q=bank`)
    const id = /name="institution_id" value="(ins_\d+)"/.exec(results.html)?.[1] ?? ''
    const login = await submitPage(results.html, 'institution', [['institution_id', id]])
    const accounts = await submitPage(login.html, 'login', GOOD_LOGIN)
    const success = await submitPage(accounts.html, 'accounts', everyAccount(accounts.html))
    await submitPage(success.html, 'finish', [])
    const grants = await completeLink(harness, memo)
    expect(grants.map((grant) => [grant.entity.id, grant.institution?.id, grant.credentials.expiresAt])).toEqual([[id, id, null]])
  })

  test('the grant names the bank and refers to the item as webhooks do', async () => {
    const grant = await link(harness)
    const item = harness.simulator.items()[0]
    expect(grant.reference).toBe(item?.itemId)
    expect(grant.entity).toEqual(grant.institution)
    expect(grant.entity.name).not.toBe('')
  })

  test('the owner returns to our callback with the state', async () => {
    const { url } = await startLink(harness, { state: 'state & more' })
    const { leftFor } = await walkLink(url)
    expect(leftFor).toBe(`${CALLBACK}?state=state+%26+more`)
  })

  test('a bank that was selected before is not asked for again', async () => {
    const { url } = await startLink(harness)
    expect((await openPage(url)).html).toContain('name="password"')
  })

  test('a wrong password shows the problem and no account', async () => {
    const { url } = await startLink(harness)
    const again = await submitPage((await openPage(url)).html, 'login', [
      ['username', 'user_good'],
      ['password', 'wrong'],
    ])
    expect(again.html).toContain('role="alert"')
    expect(harness.simulator.items()).toEqual([])
  })

  test('a bank that asks for a code is linked after the code', async () => {
    const { url, memo } = await startLink(harness)
    const code = await submitPage((await openPage(url)).html, 'login', [
      ['username', 'user_good'],
      ['password', 'mfa_device'],
    ])
    const accounts = await submitPage(code.html, 'code', [['code', '1234']])
    await submitPage(accounts.html, 'accounts', everyAccount(accounts.html))
    expect(await completeLink(harness, memo)).toHaveLength(1)
  })

  test('only the accounts that the owner selected are shared', async () => {
    const { url, memo } = await startLink(harness)
    const accounts = await submitPage((await openPage(url)).html, 'login', GOOD_LOGIN)
    await submitPage(accounts.html, 'accounts', [
      ['account', 'checking'],
      ['account', 'card'],
    ])
    const [grant] = await completeLink(harness, memo)
    if (!grant) throw new Error('no grant')
    expect((await run(sessionOf(harness, grant), 'accounts')).items).toHaveLength(2)
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
    ['who stopped at the accounts', async (url: string) => submitPage((await openPage(url)).html, 'login', GOOD_LOGIN)],
  ])('an owner %s has authorized nothing, and is told so in both languages', async (_who, walk) => {
    const { url, memo } = await startLink(harness)
    await walk(url)
    const refused = await completeLink(harness, memo).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(InputRefused)
    expect(refused).toHaveProperty('text.en', expect.stringContaining('nothing was authorized'))
    expect(refused).toHaveProperty('text.fr-CA', expect.stringContaining('rien n’a été autorisé'))
  })

  test('an owner who closes the last page instead of finishing is linked nevertheless', async () => {
    const { url, memo } = await startLink(harness)
    const accounts = await submitPage((await openPage(url)).html, 'login', GOOD_LOGIN)
    await submitPage(accounts.html, 'accounts', everyAccount(accounts.html))
    expect(await completeLink(harness, memo)).toHaveLength(1)
  })

  test('two banks linked through one link are two grants', async () => {
    const { url, memo } = await startLink(harness)
    await walkLink(url)
    await walkLink(url)
    expect(new Set((await completeLink(harness, memo)).map((grant) => grant.reference)).size).toBe(2)
  })

  test('a failed public token does not lose the item that was exchanged before it', async () => {
    const { url, memo } = await startLink(harness)
    await walkLink(url)
    await walkLink(url)
    const failing = { ...harness, kit: { ...harness.kit, http: failSecond(harness, '/item/public_token/exchange') } }
    expect(await completeLink(failing, memo)).toHaveLength(1)
  })

  test('update mode keeps the credentials and the accounts of the same item', async () => {
    const grant = await link(harness)
    const before = (await run(sessionOf(harness, grant), 'accounts')).items.map((item) => item.origId)
    harness.simulator.resetLogin(grant.reference ?? '')
    const { url, memo } = await startLink(harness, { reconnect: grant.credentials, institutionId: null })
    const success = await submitPage((await openPage(url)).html, 'login', GOOD_LOGIN)
    await submitPage(success.html, 'finish', [])
    const [repaired] = await completeLink(harness, memo, {}, grant)
    expect(repaired).toEqual(grant)
    expect((await run(sessionOf(harness, grant), 'accounts')).items.map((item) => item.origId)).toEqual(before)
  })

  test('update mode that the owner left is refused with its own message', async () => {
    const grant = await link(harness)
    harness.simulator.resetLogin(grant.reference ?? '')
    const { url, memo } = await startLink(harness, { reconnect: grant.credentials })
    await submitPage((await openPage(url)).html, 'exit', [])
    const refused = await completeLink(harness, memo, {}, grant).catch((error: unknown) => error)
    expect(refused).toHaveProperty('text.en', expect.stringContaining('not renewed'))
  })

  test('a reconnect updates the item’s webhook address', async () => {
    const grant = await link(harness)
    await startLink(harness, { reconnect: grant.credentials, webhookUrl: `${harness.webhookUrl}/moved` })
    expect(harness.simulator.items()[0]?.webhook).toBe(`${harness.webhookUrl}/moved`)
  })

  test.each(['removed', 'revoked'])('an item that was %s is linked again at the same bank', async (how) => {
    const grant = await link(harness)
    if (how === 'removed') await plaidConnector.disconnect?.(harness.kit, grant.credentials)
    else harness.simulator.revoke(grant.reference ?? '')
    const { url, memo } = await startLink(harness, { reconnect: grant.credentials, institutionId: null })
    await walkLink(url)
    const [renewed] = await completeLink(harness, memo, {}, grant)
    expect(renewed?.entity).toEqual(grant.entity)
    expect(renewed?.reference).not.toBe(grant.reference)
  })

  test('removing an item twice succeeds', async () => {
    const grant = await link(harness)
    await plaidConnector.disconnect?.(harness.kit, grant.credentials)
    await expect(plaidConnector.disconnect?.(harness.kit, grant.credentials)).resolves.toBeUndefined()
    expect(harness.simulator.items()[0]?.removed).toBe(true)
  })

  test('a link older than an hour shows that it has expired', async () => {
    const { url } = await startLink(harness)
    harness.moveTime(61 * 60_000)
    expect((await openPage(url)).status).toBe(410)
  })

  test('the bank of the request is the one that is opened', async () => {
    await startLink(harness)
    const request = harness.simulator.requests.find((each) => each.path === '/link/token/create')
    expect(request?.body).toMatchObject({ institution_id: BANK, language: 'en', user: { client_user_id: 'company-1' } })
  })
})

/** Makes the second call of a path fail, as a network error would. */
function failSecond(harness: Harness, path: string): Harness['kit']['http'] {
  let calls = 0
  return (request) => {
    if (request.url.endsWith(path) && ++calls === 2) harness.simulator.fault('unavailable')
    return harness.kit.http(request)
  }
}
