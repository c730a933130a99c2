import { request } from 'undici'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { SANDBOX_SOURCES } from '../../simulators/sandbox-sources.ts'
import { listItems, sessionOf } from '../harness/connector-calls.ts'
import { connect, startLink, tokensOf } from '../harness/redirect.ts'
import type { OpenedRedirect, RedirectSettings } from './redirect-subject.ts'
import { redirectSubjects } from './subjects.ts'

/** Requests without a client or redirect URI, for which the browser must not be redirected (RFC 6749 4.1.2.1). */
const WITHOUT_CLIENT = [{ client_id: '' }, { redirect_uri: '' }, { redirect_uri: 'ftp://x' }]
const NO_CODE = [{ response_type: '' }, { response_type: 'token' }]

/**
 * Behavior of the simulators that does not depend on the connector; the address of the consent page is the
 * connector's.
 */
describe.each(redirectSubjects.map((each) => [each.description.key, each] as const))('the simulator of %s', (_key, source) => {
  const { connector, subject } = source
  const opened: OpenedRedirect[] = []
  afterEach(async () => {
    await Promise.all(opened.splice(0).map(({ harness }) => harness.close()))
  })

  async function open(settings?: RedirectSettings): Promise<OpenedRedirect['harness']> {
    const each = await subject.open(settings)
    opened.push(each)
    return each.harness
  }

  async function consentPage(parameters: Readonly<Record<string, string>>): Promise<{ status: number; text: string; location: string }> {
    const url = new URL((await startLink(await open())).url)
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
    const answer = await request(url)
    return { status: answer.statusCode, text: await answer.body.text(), location: String(answer.headers.location) }
  }

  test('the consent page offers to allow and to refuse, and needs no script', async () => {
    const { text } = await consentPage({})
    expect(text).toMatch(/<button [^>]*name="decision" value="(allow|connect)">/)
    expect(text).toContain(`<button type="submit" name="decision" value="${subject.refuses.decision}">`)
    expect(text).not.toContain('<script')
  })

  test('the consent page shows the app’s parameters as text only', async () => {
    const { status, text } = await consentPage({ state: 'state of 22 letters"><img src=x>' })
    expect(status).toBe(200)
    expect(text).not.toContain('<img')
  })

  test.each([...WITHOUT_CLIENT, ...(subject.invalidRequests ?? [])])('a request with %j is refused on the page', async (wrong) => {
    expect((await consentPage(wrong)).status).toBe(400)
  })

  test.each(NO_CODE)('a request with %j is refused, on the page or at the redirect URI', async (wrong) => {
    const { status, location } = await consentPage(wrong)
    if (status !== 400) expect(new URL(location).searchParams.get('error')).toBe('unsupported_response_type')
  })

  if (!subject.slow)
    test('a held request is answered once it is released', async () => {
      const at = await open()
      const grant = await connect(at)
      at.simulator.fault('slow')
      const page = connector.pulls[0]?.fetch(sessionOf(at, grant), null)
      await vi.waitUntil(() => at.simulator.countHeld() === 1)
      at.simulator.release()
      expect(await page).toMatchObject({ answers: expect.anything() })
    })

  test('the log lists requests without tokens and keys', async () => {
    const at = await open()
    const grant = await connect(at)
    at.exchanges.length = 0
    await connector.pulls[0]?.fetch(sessionOf(at, grant), null)
    const log = JSON.stringify(at.simulator.listRequests())
    const paths = at.exchanges.map(({ request: { url } }) => new URL(url).pathname)
    expect(paths.filter((path) => !log.includes(path))).toEqual([])
    const { clientSecret = '' } = at.kit.app
    expect([...tokensOf(grant.credentials), clientSecret].filter((secret) => secret !== '' && log.includes(secret))).toEqual([])
  })

  if (!subject.seeded)
    test('the books are the same for the same seed and differ between seeds', async () => {
      async function booksOf(seed: number): Promise<string> {
        const at = await open({ seed })
        const session = sessionOf(at, await connect(at))
        const items = []
        for (const pull of connector.pulls) items.push(...(await listItems(session, pull)))
        return JSON.stringify(items).replaceAll(at.url, 'url')
      }
      const [one, same, other] = [await booksOf(7), await booksOf(7), await booksOf(8)]
      expect([one === same, one === other]).toEqual([true, false])
    })
})

test.each(Object.keys(SANDBOX_SOURCES))('an unknown fault of %s is refused with the list of names', async (key) => {
  const create = await SANDBOX_SOURCES[key]?.load()
  const simulator = create?.({ baseUrl: () => 'http://127.0.0.1:1' })
  expect(() => simulator?.fault('earthquake')).toThrow(/known: \w+, \w+/)
  await simulator?.close()
})
