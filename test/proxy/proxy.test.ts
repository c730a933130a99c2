import { Agent, type RequestOptions, request } from 'node:https'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PASSWORD, type TestApi, testApi } from '../harness/test-api.ts'
import { lacksNginx, type Nginx, nginxNote, startNginx } from './nginx.ts'

interface Answer {
  status: number
  headers: Record<string, string | string[] | undefined>
}

describe.skipIf(lacksNginx)(`behind nginx as the README has it${nginxNote}`, () => {
  let api: TestApi
  let nginx: Nginx
  const agents = new Map<string, Agent>()

  beforeAll(async () => {
    api = await testApi({ publicUrl: 'https://data.example.com', issuer: 'https://data.example.com', trustedProxies: ['127.0.0.1'] })
    await api.app.listen({ host: '127.0.0.1', port: 0 })
    const address = api.app.server.address()
    if (address === null || typeof address === 'string') throw new Error('no port')
    nginx = await startNginx(address.port)
  })
  afterAll(async () => {
    for (const agent of agents.values()) agent.destroy()
    await nginx?.close()
    await api?.close()
  })

  /** Asks over TLS as the client of this address. */
  function ask(client: string, options: RequestOptions, body?: object): Promise<Answer> {
    const agent = agents.get(client) ?? new Agent({ keepAlive: true, maxSockets: 8, localAddress: client, ca: nginx.certificate })
    agents.set(client, agent)
    return new Promise((resolve, reject) => {
      const wanted = { host: '127.0.0.1', port: nginx.httpsPort, servername: 'data.example.com', agent, ...options }
      const sent = request(wanted, (response) => {
        response.resume()
        response.once('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers }))
      })
      sent.once('error', reject)
      sent.end(body && JSON.stringify(body))
    })
  }

  function logIn(client: string, email: string, password: string, headers: Record<string, string> = {}): Promise<Answer> {
    const options = { method: 'POST', path: '/admin/api/v1/auth/login', headers: { 'content-type': 'application/json', ...headers } }
    return ask(client, options, { email, password, keep: 'cookie' })
  }

  const junkRefresh = (client: string) =>
    ask(
      client,
      { method: 'POST', path: '/admin/api/v1/auth/refresh', headers: { 'content-type': 'application/json' } },
      { refreshToken: 'junk' },
    )

  it('1,000 wrong logins and 1,000 junk refreshes of one client refuse nobody else', async () => {
    const [known, other] = [await api.addUser(), await api.addUser()]
    await logIn('127.0.0.3', known.email, PASSWORD)
    const wrong = await Promise.all(
      Array.from({ length: 1_000 }, (_one, index) =>
        logIn('127.0.0.2', index % 2 === 0 ? known.email : `nobody${index}@example.com`, 'wrong', {
          'x-forwarded-for': `127.0.0.3, 203.0.113.${index % 250}`,
        }),
      ),
    )
    const junk = await Promise.all(Array.from({ length: 1_000 }, () => junkRefresh('127.0.0.2')))
    expect(wrong.filter(({ status }) => status === 401).length).toBeLessThanOrEqual(31)
    expect(junk.at(-1)?.status).toBe(429)
    const others = [await logIn('127.0.0.3', known.email, PASSWORD), await logIn('127.0.0.4', other.email, PASSWORD)]
    expect([...others, await junkRefresh('127.0.0.4')].map(({ status }) => status)).toEqual([200, 200, 401])
  })

  it('a forwarded address of the client’s own making escapes no limit', async () => {
    const statuses: number[] = []
    for (let index = 0; index < 31; index += 1) {
      const forged = { 'x-forwarded-for': `198.51.100.${index}`, forwarded: `for=198.51.100.${index}`, 'x-real-ip': `198.51.100.${index}` }
      statuses.push((await logIn('127.0.0.5', `prey${index}@example.com`, 'wrong', forged)).status)
    }
    expect([statuses.slice(0, 30).every((status) => status === 401), statuses[30]]).toEqual([true, 429])
  })

  it('cookies are for https alone, and browsers are told to stay there', async () => {
    const { email } = await api.addUser()
    const { headers } = await logIn('127.0.0.6', email, PASSWORD)
    expect(headers['strict-transport-security']).toContain('max-age=')
    expect(headers['set-cookie'] ?? []).toEqual([expect.stringMatching(/^__Secure-session=.*; Secure; SameSite=Strict$/)])
  })

  it('plain HTTP leads to https for a page and is refused for a program, which would send its token again', async () => {
    const plain = `http://127.0.0.1:${nginx.httpPort}`
    const page = await fetch(`${plain}/portal/?a=b`, { redirect: 'manual' })
    expect([page.status, page.headers.get('location')]).toEqual([308, 'https://data.example.com/portal/?a=b'])
    expect((await fetch(`${plain}/admin/api/v1/auth/me`, { redirect: 'manual' })).status).toBe(403)
    expect((await fetch(`${plain}/healthz`)).status).toBe(200)
  })

  it('metrics are not given to whoever asks through it', async () => {
    expect((await ask('127.0.0.7', { path: '/metrics' })).status).toBe(404)
  })
})

describe('a proxy that nobody has named', () => {
  it('is told in the log, once an hour', async () => {
    const api = await testApi()
    const ask = () => api.app.inject({ url: '/healthz', remoteAddress: '172.17.0.1', headers: { 'x-forwarded-for': '203.0.113.9' } })
    const warnings = () => api.logged.filter((line) => line.includes('none is trusted'))
    for (let index = 0; index < 50; index += 1) await ask()
    expect(warnings()).toEqual([expect.stringContaining('"peer":"172.17.0.1"')])
    api.moveClock(3_600_000)
    await ask()
    expect(warnings()).toHaveLength(2)
    await api.close()
  })

  it('is told beside one that is named', async () => {
    const api = await testApi({ trustedProxies: ['10.0.0.0/8'] })
    const from = (remoteAddress: string) =>
      api.app.inject({ url: '/healthz', remoteAddress, headers: { 'x-forwarded-for': '203.0.113.9' } })
    await from('10.1.2.3')
    await from('::ffff:10.1.2.3')
    expect(api.logged.join()).not.toContain('TRUSTED_PROXIES')
    await from('192.0.2.1')
    expect(api.logged.join()).toContain('TRUSTED_PROXIES does not name')
    await api.close()
  })
})
