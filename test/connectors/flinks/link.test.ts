import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { flinksConnector } from '../../../src/connectors/flinks/client.ts'
import { failureOf, sessionOf } from '../../harness/connector-calls.ts'
import { openPage, queryOf, submitPage } from '../../harness/hosted-pages.ts'
import { CALLBACK, completeLink, startLink } from '../../harness/redirect.ts'
import { BANK, type Harness, KEYS, link, login, openHarness, run, walkLink } from './harness.ts'

const DAY_MS = 86_400_000

describe('linking a bank through Flinks Connect', () => {
  let harness: Harness
  beforeEach(async () => {
    harness = await openHarness()
  })
  afterEach(() => harness.close())

  const refusalOf = async (call: Promise<unknown>) => await call.catch((error: unknown) => error)
  const NOTHING = expect.stringContaining('nothing was authorized')
  const NOT_RENEWED = expect.stringContaining('not renewed')

  test('search in French, sign-in and answer return one grant for the bank', async () => {
    const { url, memo } = await startLink(harness, { institutionId: null, locale: 'fr-CA' })
    const first = await openPage(url)
    expect(first.html).toContain('<html lang="fr-CA">')
    const flow = /<form method="get" action="([^"]+)"/.exec(first.html)?.[1] ?? ''
    const results = await openPage(`${flow}?q=boreale`)
    expect(results.html).toContain('Banque Boréale du Canada')
    const id = /name="institutionId" value="(\d+)"/.exec(results.html)?.[1] ?? ''
    const signIn = await submitPage(results.html, 'institution', [['institutionId', id]])
    const question = await submitPage(signIn.html, 'login', login())
    const { leftFor } = await submitPage(question.html, 'code', [['code', 'montreal']])
    const grants = await completeLink(harness, memo, queryOf(leftFor))
    expect(grants.map(({ entity, credentials }) => [entity, credentials.expiresAt])).toEqual([
      [{ id, name: 'Boreal Bank of Canada' }, null],
    ])
    expect(grants[0]?.institution).toEqual(grants[0]?.entity)
    expect(grants[0]?.reference).toBe(Object.keys(harness.simulator.state.logins)[0])
  })

  test('the address requests nightly reads, one token and our tag, and contains no key', async () => {
    const { url, memo } = await startLink(harness)
    const query = new URL(url).searchParams
    expect(Object.fromEntries(query)).toMatchObject({ institutionId: BANK, language: 'en', scheduleRefresh: 'true', tag: Object(memo).tag })
    expect(new URL(query.get('redirectUrl') ?? '').searchParams.get('state')).toBe('state-1')
    expect(Object.values(KEYS).filter((key) => url.includes(key))).toEqual([])
  })

  test('a wrong password and a wrong answer show the problem', async () => {
    const { url } = await startLink(harness)
    const page = await openPage(url)
    expect((await submitPage(page.html, 'login', login('Greatday', 'wrong'))).html).toContain('role="alert"')
    const question = await submitPage(page.html, 'login', login())
    expect((await submitPage(question.html, 'code', [['code', 'Toronto']])).html).toContain('role="alert"')
    expect(harness.simulator.state.logins).toEqual({})
  })

  test.each([
    ['who left', async (url: string) => (await submitPage((await openPage(url)).html, 'exit', [])).leftFor],
    ['who never came', async () => null],
  ])('an owner %s has authorized nothing, and is told so in both languages', async (_who, walk) => {
    const { url, memo } = await startLink(harness)
    const refused = await refusalOf(completeLink(harness, memo, queryOf(await walk(url))))
    expect(refused).toHaveProperty('text.en', NOTHING)
    expect(refused).toHaveProperty('text.fr-CA', expect.stringContaining('rien n’a été autorisé'))
  })

  test('the login of another owner, sent by the browser, is refused', async () => {
    const other = await link(harness)
    const { memo } = await startLink(harness)
    const refused = await refusalOf(completeLink(harness, memo, queryOf(`${CALLBACK}?loginId=${other.reference}`)))
    expect(refused).toHaveProperty('text.en', NOTHING)
  })

  test.each(['8b35f6c8-e7b6-41d3-98f8-08d68b7f8d31', '../DeleteCard/x', '', 'null'])(
    '%j, which is not one of our logins, is refused',
    async (id) => {
      const { memo } = await startLink(harness)
      const refused = await refusalOf(completeLink(harness, memo, queryOf(`${CALLBACK}?loginId=${encodeURIComponent(id)}`)))
      expect(refused).toHaveProperty('text.en', NOTHING)
    },
  )

  test('a login without our tag is accepted only if it was read since the start', async () => {
    const { memo, url } = await startLink(harness)
    const { leftFor } = await walkLink(url)
    const [known] = Object.values(harness.simulator.state.logins)
    if (!known) throw new Error('no login')
    known.tag = null
    known.readAt -= DAY_MS
    known.isScheduled = false
    expect(await refusalOf(completeLink(harness, memo, queryOf(leftFor)))).toHaveProperty('text.en', NOTHING)
    known.readAt += DAY_MS
    expect(await completeLink(harness, memo, queryOf(leftFor))).toHaveLength(1)
  })

  test('a sign-in without accounts is explained', async () => {
    const { memo, url } = await startLink(harness)
    const { leftFor } = await walkLink(url, 'Empty')
    expect(await refusalOf(completeLink(harness, memo, queryOf(leftFor)))).toHaveProperty(
      'text.en',
      expect.stringContaining('opens no account'),
    )
  })

  test('a login that is still being read is linked, and its accounts follow', async () => {
    const { memo, url } = await startLink(harness)
    const { leftFor } = await walkLink(url)
    harness.simulator.fault('pendingSummary', 1)
    expect(await completeLink(harness, memo, queryOf(leftFor))).toHaveLength(1)
  })

  test('repair: the owner answers the bank’s question in Flinks Connect, and login and accounts stay', async () => {
    const grant = await link(harness)
    const before = (await run(sessionOf(harness, grant), 'accounts')).items.map(({ origId }) => origId)
    harness.simulator.setTrouble(grant.reference ?? '', 'CHALLENGE')
    harness.moveTime(DAY_MS)
    const { url, memo } = await startLink(harness, { reconnect: grant.credentials, institutionId: null })
    const question = await openPage(url)
    expect(question.html).toContain('What city were you born in?')
    const { leftFor } = await submitPage(question.html, 'code', [['code', 'Montreal']])
    const [repaired] = await completeLink(harness, memo, queryOf(leftFor), grant)
    expect(repaired).toEqual(grant)
    expect((await run(sessionOf(harness, grant), 'accounts')).items.map(({ origId }) => origId)).toEqual(before)
  })

  test('a repair that the owner left is refused, even if the browser names the login', async () => {
    const grant = await link(harness)
    harness.simulator.setTrouble(grant.reference ?? '', 'CHALLENGE')
    harness.moveTime(DAY_MS)
    const { url, memo } = await startLink(harness, { reconnect: grant.credentials })
    const { leftFor } = await submitPage((await openPage(url)).html, 'exit', [])
    expect(await refusalOf(completeLink(harness, memo, queryOf(leftFor), grant))).toHaveProperty('text.en', NOT_RENEWED)
    const again = await startLink(harness, { reconnect: grant.credentials })
    const claimed = `${CALLBACK}?loginId=${grant.reference}`
    expect(await refusalOf(completeLink(harness, again.memo, queryOf(claimed), grant))).toHaveProperty('text.en', NOT_RENEWED)
  })

  test('if the bank accepts us again without a question, the owner is redirected straight back', async () => {
    const grant = await link(harness)
    harness.moveTime(DAY_MS)
    const { url, memo } = await startLink(harness, { reconnect: grant.credentials })
    expect(url.startsWith(`${CALLBACK}?state=state-1&loginId=`)).toBe(true)
    expect(await completeLink(harness, memo, queryOf(url), grant)).toEqual([grant])
  })

  test('another password means another login at the same bank; the old one is deleted with it', async () => {
    const grant = await link(harness)
    harness.simulator.setTrouble(grant.reference ?? '', 'INVALID_PASSWORD')
    const { url, memo } = await startLink(harness, { reconnect: grant.credentials, institutionId: null })
    const { leftFor } = await walkLink(url)
    const [renewed] = await completeLink(harness, memo, queryOf(leftFor), grant)
    if (!renewed) throw new Error('no grant')
    expect(renewed.entity).toEqual(grant.entity)
    expect(renewed.reference).not.toBe(grant.reference)
    await flinksConnector.disconnect?.(harness.kit, renewed.credentials)
    expect(harness.simulator.state.logins).toEqual({})
  })

  test('accounts of another login are recognized by the end of their number', async () => {
    const prints = async (grant: Awaited<ReturnType<typeof link>>) =>
      (await run(sessionOf(harness, grant), 'accounts')).items.flatMap((item) =>
        'wire' in item ? [flinksConnector.reidentify?.account(item.wire).descriptions[0]] : [],
      )
    const [one, two] = [await prints(await link(harness)), await prints(await link(harness))]
    expect(one).toEqual(two)
    expect(new Set(one).size).toBe(one.length)
  })

  test('a disconnect deletes the login at Flinks; a second one succeeds', async () => {
    const grant = await link(harness)
    await flinksConnector.disconnect?.(harness.kit, grant.credentials)
    expect(harness.simulator.state.logins).toEqual({})
    await expect(flinksConnector.disconnect?.(harness.kit, grant.credentials)).resolves.toBeUndefined()
  })

  test('a refused key is reported to the operator, and is not revealed', async () => {
    harness.simulator.fault('keysRefused')
    const failure = await failureOf(startLink(harness))
    expect([failure.isClientRefused, failure.message.includes(KEYS.secretKey)]).toEqual([true, false])
  })
})

describe('the directory', () => {
  test('is read to its end, in both languages, without disabled institutions', async () => {
    const harness = await openHarness({ institutionCount: 249 })
    try {
      const page = await flinksConnector.listInstitutions?.(harness.kit, null)
      expect(page?.next).toBe(null)
      const names = new Map(page?.institutions.map(({ id, name }) => [id, name]))
      expect(names.get('1')).toBe('Boreal Bank of Canada / Banque Boréale du Canada')
      expect(names.get('4')).toBe('Caisse Rive-Nord')
      expect(names.size).toBe(249 - 8)
      const rest = await flinksConnector.listInstitutions?.(harness.kit, 240)
      expect(rest?.institutions.length).toBeLessThanOrEqual(9)
      expect((await failureOf(flinksConnector.listInstitutions?.(harness.kit, 'x') ?? Promise.resolve())).kind).toBe('badData')
    } finally {
      await harness.close()
    }
  })
})
