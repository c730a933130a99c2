import { request } from 'undici'
import { describe, expect, test } from 'vitest'
import { InputRefused } from '../../src/connectors/contract/authorization.ts'
import { closedAfterEach } from '../harness/connector.ts'
import { failureOf, refusalOf } from '../harness/connector-calls.ts'
import { complete, connect, consent, startLink } from '../harness/redirect.ts'
import { isInapplicable, redirectSubjects } from './subjects.ts'

/** The consent, step by step (RFC 6749, 4.1, and RFC 7636); `tokens.test.ts` covers the tokens. */
describe.each(redirectSubjects.map((each) => [each.description.key, each.subject] as const))('%s', (_key, subject) => {
  const open = closedAfterEach(async () => (await subject.open()).harness)

  test('the state is returned unchanged', async () => {
    const at = await open()
    const { searchParams } = new URL((await startLink(at)).url)
    expect((await consent(at)).query).toMatchObject({ state: searchParams.get('state'), code: expect.stringMatching(/./) })
  })

  test('an owner who refuses creates no grant', async () => {
    const at = await open()
    const back = await consent(at, subject.refuses)
    expect(back.query).toMatchObject({ error: 'access_denied', state: expect.stringMatching(/^state-/) })
    expect(back.query).not.toHaveProperty('code')
    expect((await failureOf(complete(at, back))).kind).toBe('reconnect')
  })

  test('a code can be exchanged only once', async () => {
    const at = await open()
    const back = await consent(at)
    await complete(at, back)
    const message = expect.stringContaining(subject.usedCode ?? 'invalid_grant')
    expect(await failureOf(complete(at, back))).toMatchObject({ kind: 'reconnect', message })
  })

  test('an expired code is refused', async () => {
    const at = await open()
    const back = await consent(at)
    at.moveTime(subject.codeMs + 1000)
    expect((await failureOf(complete(at, back))).kind).toBe('reconnect')
  })

  if (!subject.verifier) {
    test('a code cannot be exchanged with the verifier of another authorization, or with an invented one', async () => {
      const at = await open()
      const [one, other] = [await consent(at), await consent(at)]
      expect((await failureOf(complete(at, { ...one, memo: other.memo }))).kind).toBe('reconnect')
      const madeUp = { ...Object(other.memo), verifier: 'another-verifier' }
      expect((await failureOf(complete(at, { ...other, memo: madeUp }))).kind).toBe('reconnect')
    })

    test('the authorization URL contains the challenge and never the verifier', async () => {
      const { url, memo } = await startLink(await open())
      const { verifier } = { verifier: '', ...Object(memo) }
      expect(verifier).toMatch(/^[\w-]{43,128}$/)
      expect(new URL(url).searchParams.get('code_challenge_method')).toBe('S256')
      expect(url).not.toContain(verifier)
    })

    test('a callback without a memo is refused without a call', async () => {
      const at = await open()
      expect((await failureOf(complete(at, { query: { state: 's', code: 'c' }, memo: null }))).kind).toBe('badData')
      expect(at.exchanges).toEqual([])
    })
  }

  test.each([{ code: '' }, ...(subject.wrongCallbacks ?? [])])('a callback with %j is refused without a call', async (wrong) => {
    const at = await open()
    const back = await consent(at)
    expect((await failureOf(complete(at, { ...back, query: { ...back.query, ...wrong } }))).kind).toBe('badData')
    expect(at.exchanges).toEqual([])
  })

  test('a callback without a code is refused without a call', async () => {
    const at = await open()
    const { query, memo } = await consent(at)
    const { code: _code, ...rest } = query
    expect((await failureOf(complete(at, { query: rest, memo }))).kind).toBe('badData')
    expect(at.exchanges).toEqual([])
  })

  if (!isInapplicable(subject.forged))
    test('books named in a forged callback are not accepted', async () => {
      const at = await open()
      const { query, memo } = await consent(at)
      expect((await failureOf(complete(at, { query: { ...query, ...subject.forged }, memo }))).kind).toBe('reconnect')
    })

  test('the grant names the books that were really connected', async () => {
    const at = await open()
    const wanted = await connect(at, subject.swapped)
    at.simulator.fault(subject.otherBooks ?? 'wrongEntity')
    const back = await consent(at, subject.swapped)
    const outcome = await complete(at, back).catch((error: unknown) => [error])
    expect(outcome.map((each) => Object(each).entity?.id ?? Object(each).kind)).not.toContain(wanted.entity.id)
    expect(outcome.length).toBeGreaterThan(0)
  })

  if (!isInapplicable(subject.withoutBooks)) {
    const { answer, says, fault } = subject.withoutBooks
    const [en, fr] = says
    test('a login without books gets an explanation in both languages', async () => {
      const at = await open()
      const refusal = await refusalOf(complete(at, await consent(at, answer)))
      expect(refusal.text).toMatchObject({ en: expect.stringContaining(en), 'fr-CA': expect.stringContaining(fr) })
    })

    if (fault !== undefined)
      test('an owner who has left all books in the meantime gets the same explanation', async () => {
        const at = await open()
        const back = await consent(at)
        at.simulator.fault(fault)
        expect(await complete(at, back).catch((error: unknown) => error)).toBeInstanceOf(InputRefused)
      })
  }

  if (!isInapplicable(subject.scopes)) {
    const { scopes } = subject
    test('only read access is requested', async () => {
      const asked = new URL((await startLink(await open())).url).searchParams.get('scope') ?? ''
      expect(asked.split(/[ ,]/).filter((scope) => !scopes.test(scope))).toEqual([])
    })
  }

  if (!isInapplicable(subject.several)) {
    const { several } = subject
    test('a reconnect with several books returns those that were connected before', async () => {
      const at = await open()
      const grants = await complete(at, await consent(at, several))
      expect(new Set(grants.map(({ entity }) => entity.id)).size).toBeGreaterThan(1)
      for (const { entity, credentials } of grants) {
        const repaired = await complete(at, await consent(at, several, { reconnect: credentials }), credentials)
        expect(repaired.map((each) => each.entity.id)).toEqual([entity.id])
      }
    })
  }

  if (!isInapplicable(subject.frenchPage)) {
    const { frenchPage } = subject
    test('the consent page is in French for a French browser and needs no script', async () => {
      const { url } = await startLink(await open(), { locale: 'fr-CA' })
      const page = await (await request(url, { headers: { 'accept-language': 'fr-CA,fr;q=0.9,en;q=0.5' } })).body.text()
      expect(page).toContain('<html lang="fr-CA">')
      expect(page).toMatch(frenchPage)
      expect(page).not.toContain('<script')
    })
  }
})
