import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { openForTests } from '../../../test/harness/for-tests.ts'
import { logInAt, testApi } from '../../../test/harness/test-api.ts'

const LENIENT = { perAccount: 100_000, perNetwork: 100_000, windowSeconds: 900, perMinute: 100_000, codeDriftSteps: 1 }
const DAY_MS = 86_400_000

describe('refresh tokens', () => {
  const api = openForTests(() => testApi({ login: LENIENT, requestLimits: { perSession: 0, perInstance: 0, perNetwork: 0 } }))
  let email: string
  beforeAll(async () => {
    email = (await api.addUser()).email
  })

  const begin = async () => (await logInAt(api.app, email)).json<{ refreshToken: string; access_token: string }>()
  const refresh = (refreshToken: string, app = api.app) =>
    app.inject({ method: 'POST', url: '/admin/api/v1/auth/refresh', payload: { refreshToken } })
  const successor = async (token: string) => {
    const response = await refresh(token)
    return response.statusCode === 200 ? response.json<{ refreshToken: string }>().refreshToken : null
  }

  it('give new tokens of the same session and a successor', async () => {
    const first = await begin()
    const second = (await refresh(first.refreshToken)).json<{ refreshToken: string; access_token: string; twoStepVerify: boolean }>()
    const me = await api.app.inject({ url: '/admin/api/v1/auth/me', headers: { authorization: `Bearer ${second.access_token}` } })
    const sessionOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).sid as string
    expect(me.statusCode).toBe(200)
    expect(second.refreshToken).not.toBe(first.refreshToken)
    expect(sessionOf(second.access_token)).toBe(sessionOf(first.access_token))
  })

  it('give the same successor to all who ask at once', async () => {
    const { refreshToken } = await begin()
    const answers = await Promise.all(Array.from({ length: 20 }, () => successor(refreshToken)))
    expect([new Set(answers).size, answers[0] === null]).toEqual([1, false])
  })

  it('end after seven days without use', async () => {
    const { refreshToken } = await begin()
    api.moveClock(7 * DAY_MS)
    expect(await successor(refreshToken)).toBeNull()
  })

  it('end after thirty days, however often they are used', async () => {
    let token: string | null = (await begin()).refreshToken
    const days: boolean[] = []
    for (let day = 6; day <= 30; day += 6) {
      api.moveClock(6 * DAY_MS)
      token = token === null ? null : await successor(token)
      days.push(token !== null)
    }
    expect(days).toEqual([true, true, true, true, false])
  })

  it('are not in the database', async () => {
    const { refreshToken } = await begin()
    const { rows } = await api.deps.database.query<{ found: string }>(
      `select count(*) as found from refresh_tokens where token_hash in (convert_to($1, 'UTF8'), sha256(convert_to($1, 'UTF8')))`,
      [refreshToken],
    )
    expect(rows[0]?.found).toBe('0')
  })

  it.each([['nothing-of-ours'], ['x'.repeat(200)], ["' or 1=1 --"]])('that are none are refused: %s', async (token) => {
    expect((await refresh(token)).statusCode).toBe(401)
  })

  it('follow the model: each works once, the one before the newest for ten seconds more, any other use ends the session', async () => {
    const step = fc.oneof(
      { weight: 5, arbitrary: fc.record({ kind: fc.constant('present' as const), back: fc.nat(4) }) },
      {
        weight: 2,
        arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(1, 4_000, 9_999, 10_000, 10_001, 60_000) }),
      },
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
        const tokens = [(await begin()).refreshToken]
        let isEnded = false
        let sinceRotation = Number.POSITIVE_INFINITY
        for (const action of steps) {
          if (action.kind === 'wait') {
            api.moveClock(action.ms)
            sinceRotation += action.ms
            continue
          }
          const index = Math.max(0, tokens.length - 1 - action.back)
          const got = await successor(tokens[index] ?? '')
          const back = tokens.length - 1 - index
          const isTaken = !isEnded && (back === 0 || (back === 1 && sinceRotation <= 10_000))
          expect(got !== null).toBe(isTaken)
          if (isTaken && back === 0) {
            tokens.push(got ?? '')
            sinceRotation = 0
          } else if (isTaken) expect(got).toBe(tokens.at(-1))
          else isEnded = true
        }
      }),
      { numRuns: 60 },
    )
  })

  it('used twice leave a record and end the access tokens too', async () => {
    const first = await begin()
    await successor(first.refreshToken)
    api.moveClock(11_000)
    await refresh(first.refreshToken)
    api.moveClock(5_000)
    const me = await api.app.inject({ url: '/admin/api/v1/auth/me', headers: { authorization: `Bearer ${first.access_token}` } })
    const { rows } = await api.deps.database.query("select 1 from audit_entries where entry like '%session.reuse-detected%'")
    expect([me.statusCode, rows.length > 0]).toEqual([401, true])
  })
})
