import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { openForTests } from '../../../../test/harness/for-tests.ts'
import { bearerOf, PASSWORD, testApi } from '../../../../test/harness/test-api.ts'
import { toAgent } from './client.ts'

const AUTH = '/admin/api/v1/auth'
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0'

interface Listed {
  id: string
  isCurrent: boolean
  network: string | null
  agent: string | null
  createdOn: string
  lastUsedOn: string
}

describe('own sessions', () => {
  const api = openForTests(() => testApi({ requestLimits: { perSession: 0, perInstance: 0, perNetwork: 0 } }))
  const logIn = async (email: string, agent = FIREFOX, remoteAddress = '192.0.2.7') => {
    const headers = { 'user-agent': agent }
    const payload = { email, password: PASSWORD }
    const answer = await api.app.inject({ method: 'POST', url: `${AUTH}/login`, payload, headers, remoteAddress })
    const { access_token: token, refreshToken } = answer.json<{ access_token: string; refreshToken: string }>()
    return { headers: { authorization: `Bearer ${token}` }, refreshToken }
  }
  const list = async (headers: { authorization: string }) => (await api.app.inject({ url: `${AUTH}/sessions`, headers })).json<Listed[]>()
  const end = async (headers: { authorization: string }, id: string) =>
    (await api.app.inject({ method: 'DELETE', url: `${AUTH}/sessions/${id}`, headers })).statusCode

  it('are listed with network, program and last use, and no one else’s', async () => {
    const { email } = await api.addUser()
    const first = await logIn(email)
    api.moveClock(60_000)
    const second = await logIn(email, 'curl/8.5.0', '2001:db8:1:2:3::4')
    await logIn((await api.addUser()).email)
    const seen = await list(second.headers)
    expect(seen.map(({ isCurrent, network, agent }) => [isCurrent, network, agent])).toEqual([
      [true, '2001:db8:1:2::/64', ''],
      [false, '192.0.2.7', 'Firefox, Linux'],
    ])
    expect((await list(first.headers)).find(({ isCurrent }) => isCurrent)?.id).toBe(seen[1]?.id)
  })

  it('tell where they were refreshed from', async () => {
    const { email } = await api.addUser()
    const { headers, refreshToken } = await logIn(email)
    api.moveClock(60_000)
    await api.app.inject({ method: 'POST', url: `${AUTH}/refresh`, payload: { refreshToken }, remoteAddress: '192.0.2.99' })
    const [session] = await list(headers)
    expect([session?.network, session?.agent]).toEqual(['192.0.2.99', ''])
    expect(Date.parse(session?.lastUsedOn ?? '') - Date.parse(session?.createdOn ?? '')).toBe(60_000)
  })

  it('are ended one by one: the tokens of the one at once, those of the others never', async () => {
    const { email } = await api.addUser()
    const [mine, lost] = [await logIn(email), await logIn(email)]
    const id = (await list(mine.headers)).find(({ isCurrent }) => !isCurrent)?.id ?? ''
    expect(await end(mine.headers, id)).toBe(204)
    api.moveClock(1_000)
    const refresh = { method: 'POST', url: `${AUTH}/refresh`, payload: { refreshToken: lost.refreshToken } } as const
    const answers = [
      (await api.app.inject({ url: `${AUTH}/me`, headers: lost.headers })).statusCode,
      (await api.app.inject(refresh)).statusCode,
      (await api.app.inject({ url: `${AUTH}/me`, headers: mine.headers })).statusCode,
    ]
    expect([answers, (await list(mine.headers)).map((session) => session.id).includes(id), await end(mine.headers, id)]).toEqual([
      [401, 401, 200],
      false,
      404,
    ])
  })

  it('of another user or instance cannot be ended, and answer like one that never was', async () => {
    const headers = await bearerOf(api, (await api.addUser()).email)
    const others = [await api.addUser(), await api.addUser({ instanceId: await api.addInstance() })]
    for (const { email } of others) {
      const theirs = await bearerOf(api, email)
      const [{ id } = { id: '' }] = await list(theirs)
      expect([await end(headers, id), await end(headers, randomUUID()), (await list(theirs)).length]).toEqual([404, 404, 1])
    }
  })

  it('that have expired, or were not refreshed for a week, are not listed', async () => {
    const { email } = await api.addUser()
    await logIn(email)
    api.moveClock(7 * 86_400_000)
    expect((await list((await logIn(email)).headers)).length).toBe(1)
  })

  it.each([
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 Safari/537.36 Edg/126.0',
      'Edge, Windows',
    ],
    ['Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 Safari/537.36', 'Chrome, Windows'],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1 (KHTML, like Gecko) Version/17.5 Mobile Safari/604.1',
      'Safari, iOS',
    ],
    ['Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 Mobile Safari/537.36', 'Chrome, Android'],
    ['Mozilla/5.0 (Macintosh; Intel Mac OS X 14.5; rv:127.0) Gecko/20100101 Firefox/127.0', 'Firefox, macOS'],
    ['<script>alert(1)</script>', ''],
    ['python-requests/2.32', ''],
  ])('know the class of %s', (userAgent, agent) => {
    expect(toAgent(userAgent)).toBe(agent)
  })
})
