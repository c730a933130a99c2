import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { Json } from '../../../src/model/values/json.ts'
import { failureOf, sessionOf } from '../../harness/connector-calls.ts'
import { CALLBACK, completeLink, redirectStep, refresh, startLink } from '../../harness/redirect.ts'
import { everyAccount, openBrowser } from './browser.ts'
import { type BankKey, CLIENT_ID, type Harness, link, queryOf, run, trackedHarnesses, walk } from './harness.ts'

const ALL: BankKey[] = ['fdx-caisse-du-confluent', 'fdx-ohio-valley', 'akoya', 'flinks-outbound']
const DAY_MS = 86_400_000

const open = trackedHarnesses()

const memoWith = (memo: Json | undefined, changes: Record<string, Json>): Json => ({ ...Object(memo ?? {}), ...changes })

describe.each(ALL)('%s', (key) => {
  it('gives the code to nobody without its verifier, and accepts a code once', async () => {
    const harness = await open(key)
    const { url, memo } = await startLink(harness)
    const query = await walk(harness, url)
    const stolen = await failureOf(completeLink(harness, memoWith(memo, { verifier: 'x'.repeat(64) }), query))
    expect(stolen.kind).toBe('reconnect')
    await completeLink(harness, memo, query)
    expect((await failureOf(completeLink(harness, memo, query))).kind).toBe('reconnect')
  })

  it('shares only the accounts that the owner selected', async () => {
    const harness = await open(key)
    const { url, memo } = await startLink(harness)
    const query = await walk(harness, url, 'business', (page) => everyAccount(page).slice(0, 2))
    const [grant] = await completeLink(harness, memo, query)
    if (!grant) throw new Error('no grant')
    expect((await run(harness, sessionOf(harness, grant), 'accounts')).items).toHaveLength(2)
  })

  it('recognizes the login and its accounts when the owner signs in again', async () => {
    const harness = await open(key)
    const first = await link(harness)
    const second = await link(harness, 'business', { reconnect: first.credentials })
    const idsOf = async (grant: typeof first) =>
      (await run(harness, sessionOf(harness, grant), 'accounts')).items.map(({ origId }) => origId)
    expect([second.entity, second.institution, await idsOf(second)]).toEqual([first.entity, first.institution, await idsOf(first)])
  })

  it('uses the owner’s language', async () => {
    const harness = await open(key)
    const texts = await Promise.all(
      (['en', 'fr-CA'] as const).map(
        async (locale) => (await openBrowser(harness.url).open((await startLink(harness, { locale })).url)).html,
      ),
    )
    expect(texts.map((html) => [/<html lang="(.+?)">/.exec(html)?.[1], /Nom d’utilisateur/.test(html)])).toEqual([
      ['en', false],
      ['fr-CA', true],
    ])
  })

  it('revokes the consent at the bank on a disconnect, and a second disconnect succeeds', async () => {
    const harness = await open(key)
    const { credentials } = await link(harness)
    expect(harness.simulator.isRevoked('business')).toBe(false)
    await harness.connector.disconnect?.(harness.kit, credentials)
    expect(harness.simulator.isRevoked('business')).toBe(true)
    expect((await failureOf(refresh(harness, credentials))).kind).toBe('reconnect')
    if (key !== 'flinks-outbound') await harness.connector.disconnect?.(harness.kit, credentials)
  })

  it('requires a reconnect if the consent was idle for too long or revoked at the bank', async () => {
    const [idle, revoked] = [await open(key), await open(key)]
    const grants = [await link(idle), await link(revoked)]
    idle.moveTime(400 * DAY_MS)
    revoked.simulator.revoke('business')
    const failures = [await failureOf(refresh(idle, grants[0]?.credentials ?? { secret: null, expiresAt: null }))]
    failures.push(await failureOf(refresh(revoked, grants[1]?.credentials ?? { secret: null, expiresAt: null })))
    expect(failures.map(({ kind }) => kind)).toEqual(['reconnect', 'reconnect'])
  })

  it('reports refused keys to the operator, not to the owner', async () => {
    const harness = await open(key)
    const { credentials } = await link(harness)
    harness.simulator.fault('invalidClient')
    const failure = await failureOf(refresh(harness, credentials))
    expect([failure.kind, failure.isClientRefused]).toEqual(['unavailable', true])
  })
})

/** Without the members that are undefined. */
function onlyTexts(query: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined))
}

describe('authorization at the bank', () => {
  it('shows the browser only a request URI if the request is pushed', async () => {
    const harness = await open('fdx-caisse-du-confluent')
    const { url } = await startLink(harness)
    expect([...new URL(url).searchParams.keys()]).toEqual(['client_id', 'request_uri'])
    const plain = new URL(url)
    plain.search = String(
      new URLSearchParams({ client_id: CLIENT_ID, redirect_uri: CALLBACK, response_type: 'code', scope: 'openid', state: 's' }),
    )
    const refused = await openBrowser(harness.url).open(plain.href)
    expect(refused.leftFor ?? refused.html).toContain('invalid_request')
  })

  it('returns with a refusal if the owner cancels', async () => {
    const harness = await open('fdx-ohio-valley')
    const browser = openBrowser(harness.url)
    const query = queryOf(await browser.submit(await browser.open((await startLink(harness)).url), 'exit', []))
    expect(query).toMatchObject({ error: 'access_denied', state: 'state-1' })
  })

  it('asks the same browser to sign in again the next time', async () => {
    const harness = await open('fdx-ohio-valley')
    const browser = openBrowser(harness.url)
    for (const login of ['business', 'giant']) {
      const consent = await browser.submit(await browser.open((await startLink(harness)).url), 'login', [
        ['username', login],
        ['password', 'sandbox'],
      ])
      expect(queryOf(await browser.submit(consent, 'consent', everyAccount(consent))).code).toBeTruthy()
    }
  })

  it('lets the owner correct a wrong password and an empty selection', async () => {
    const harness = await open('fdx-caisse-du-confluent')
    const browser = openBrowser(harness.url)
    const wrong = await browser.submit(await browser.open((await startLink(harness, { locale: 'fr-CA' })).url), 'login', [
      ['username', 'business'],
      ['password', 'nope'],
    ])
    expect(wrong.html).toContain('Le nom d’utilisateur ou le mot de passe est erroné')
    const consent = await browser.submit(wrong, 'login', [
      ['username', 'business'],
      ['password', 'sandbox'],
    ])
    const empty = await browser.submit(consent, 'consent', [])
    expect(empty.html).toContain('Choisissez au moins un compte')
    expect(queryOf(await browser.submit(empty, 'consent', everyAccount(empty))).code).toBeTruthy()
  })

  it.each([
    ['an id_token that was made for another request', 'fdx-caisse-du-confluent', { nonce: 'other' }, {}],
    ['an answer of another issuer', 'fdx-caisse-du-confluent', {}, { iss: 'https://elsewhere.example' }],
    ['an answer without the issuer that it promises', 'fdx-caisse-du-confluent', {}, { iss: undefined }],
    ['an answer without a code', 'fdx-ohio-valley', {}, { code: '' }],
  ] as const)('rejects %s', async (_what, key, memoChanges, queryChanges) => {
    const harness = await open(key)
    const { url, memo } = await startLink(harness)
    const query = await walk(harness, url)
    expect((await failureOf(completeLink(harness, memoWith(memo, memoChanges), onlyTexts({ ...query, ...queryChanges })))).kind).toBe(
      'badData',
    )
  })

  it('does not start if the configuration is another issuer’s', async () => {
    const harness = await open('fdx-caisse-du-confluent')
    const http: Harness['kit']['http'] = async (call) => {
      const response = await harness.kit.http(call)
      return {
        ...response,
        body: new TextEncoder().encode(new TextDecoder().decode(response.body).replace('"issuer":"http', '"issuer":"https')),
      }
    }
    const request = { callbackUrl: CALLBACK, state: 's', locale: 'en', webhookUrl: CALLBACK, companyId: 'c' } as const
    expect((await failureOf(redirectStep(harness).start({ ...harness.kit, http }, request))).kind).toBe('badData')
  })

  it.each([
    ['another key than the bank knows', () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey],
    ['a key of another kind', () => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey],
  ])('is refused with %s', async (_what, makeKey) => {
    const harness = await open('fdx-caisse-du-confluent', {
      app: { signingKey: String(makeKey().export({ type: 'pkcs8', format: 'pem' })) },
    })
    const failure = await failureOf(startLink(harness))
    expect([failure.kind, failure.isClientRefused]).toEqual(['unavailable', true])
  })

  it('names the operator’s signingKey if it is not a key, and reveals nothing of it', async () => {
    const harness = await open('fdx-caisse-du-confluent', { app: { signingKey: '{"kty":"EC","d":"canary-of-a-key"}' } })
    const failure = await failureOf(startLink(harness))
    expect(failure.message).toBe("the operator's signingKey is no private key")
    expect(failure.cause).toBeUndefined()
  })
})
