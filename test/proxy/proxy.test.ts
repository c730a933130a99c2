import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http'
import { Agent, type RequestOptions, request } from 'node:https'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { guideBlock } from '../guides/guide-blocks.ts'
import { openForTests } from '../harness/for-tests.ts'
import { PASSWORD, testApi } from '../harness/test-api.ts'
import { HOST, isMissing, PROXIES, type RunningProxy, startProxy } from './proxies.ts'
import { addStreams, type Streams } from './streams.ts'

const MEGABYTE = 1024 * 1024

interface Answer {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: string
}

describe.each(PROXIES)('behind %s with the configuration of deploy/proxy', (name) => {
  const note = isMissing(name) ? ` (SKIPPED: no ${name} or no openssl on this machine)` : ''
  describe.skipIf(isMissing(name))(`as in Debian${note}`, () => {
    const api = openForTests(() => testApi({ publicUrl: `https://${HOST}`, issuer: `https://${HOST}`, trustedProxies: ['127.0.0.1'] }))
    let streams: Streams
    let proxy: RunningProxy
    const agents = new Map<string, Agent>()

    beforeAll(async () => {
      streams = addStreams(api.app)
      const address = await api.app.listen({ host: '127.0.0.1', port: 0 })
      proxy = await startProxy(name, Number(new URL(address).port))
    })
    afterAll(async () => {
      for (const agent of agents.values()) agent.destroy()
      await proxy?.close()
    })

    /** Starts a request over TLS as the client with this address. */
    function begin(client: string, { headers, ...options }: RequestOptions): ClientRequest {
      const agent = agents.get(client) ?? new Agent({ keepAlive: true, maxSockets: 8, localAddress: client, ca: proxy.certificate })
      agents.set(client, agent)
      return request({
        host: '127.0.0.1',
        port: proxy.httpsPort,
        servername: HOST,
        agent,
        headers: { host: HOST, ...headers },
        ...options,
      })
    }

    function ask(client: string, options: RequestOptions, body?: object): Promise<Answer> {
      const sent = begin(client, options)
      sent.end(body && JSON.stringify(body))
      return answerOf(sent)
    }

    function askPlainly(path: string): Promise<Answer> {
      const sent = requestHttp({ host: '127.0.0.1', port: proxy.httpPort, path, headers: { host: HOST } })
      sent.end()
      return answerOf(sent)
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

    it('1,000 wrong logins and 1,000 invalid refreshes of one client affect nobody else', async () => {
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
      expect([wrong.at(-1)?.status, junk.at(-1)?.status]).toEqual([429, 429])
      const others = [await logIn('127.0.0.3', known.email, PASSWORD), await logIn('127.0.0.4', other.email, PASSWORD)]
      expect([...others, await junkRefresh('127.0.0.4')].map(({ status }) => status)).toEqual([200, 200, 401])
    })

    it('a forged forwarded address escapes no limit', async () => {
      const statuses: number[] = []
      for (let index = 0; index < 31; index += 1) {
        const forged = {
          'x-forwarded-for': `198.51.100.${index}`,
          forwarded: `for=198.51.100.${index}`,
          'x-real-ip': `198.51.100.${index}`,
        }
        statuses.push((await logIn('127.0.0.5', `prey${index}@example.com`, 'wrong', forged)).status)
      }
      expect([statuses.slice(0, 30).every((status) => status === 401), statuses[30]]).toEqual([true, 429])
    })

    it('cookies require https, and browsers are told to stay on it', async () => {
      const { email } = await api.addUser()
      const { headers } = await logIn('127.0.0.6', email, PASSWORD)
      expect(headers['strict-transport-security']).toContain('max-age=')
      expect(headers['set-cookie'] ?? []).toEqual([expect.stringMatching(/^__Host-session=.*; Secure; SameSite=Strict$/)])
    })

    it('plain HTTP redirects to https for a page and is refused for a program, which would send its token again', async () => {
      const page = await askPlainly('/portal/?a=b')
      expect([page.status, page.headers.location]).toEqual([308, `https://${HOST}/portal/?a=b`])
      expect((await askPlainly('/admin/api/v1/auth/me')).status).toBe(403)
      expect((await askPlainly('/healthz')).status).toBe(200)
    })

    it('answers the commands of the guide as their comments say', async () => {
      const file = join(await mkdtemp(join(tmpdir(), 'proxy-guide-')), 'certificate.pem')
      await writeFile(file, proxy.certificate)
      const [http, https] = [80, 443].map((port, at) => `--connect-to ${HOST}:${port}:127.0.0.1:${[proxy.httpPort, proxy.httpsPort][at]}`)
      const curl = `curl() { command curl --cacert ${file} ${http} ${https} "$@"; }\n`
      const lines = guideBlock('proxy.md', 'strict-transport').trim().split('\n')
      for (const line of lines) {
        const [command = '', expected = ''] = line.split(/ {2,}# /)
        expect(expected, line).not.toBe('')
        const { stdout } = await promisify(execFile)('sh', ['-ec', curl + command])
        expect(stdout, command).toContain(expected)
      }
      await rm(dirname(file), { recursive: true })
    })

    it('metrics are not available through it', async () => {
      expect((await ask('127.0.0.7', { path: '/metrics' })).status).toBe(404)
      expect((await askPlainly('/metrics')).status).toBe(404)
    })

    it('statement files of 25 MB pass, and a larger body is refused', async () => {
      /** Sends the body once it is requested, since a server that refuses it need not read it. */
      const upload = (megabytes: number) => {
        const bytes = megabytes * MEGABYTE
        const sent = begin('127.0.0.8', {
          method: 'POST',
          path: streams.upload,
          headers: { 'content-length': bytes, expect: '100-continue' },
        })
        sent.once('continue', () => sent.end(Buffer.alloc(bytes))).flushHeaders()
        return answerOf(sent)
      }
      const passed = await upload(25)
      expect([passed.status, passed.body]).toEqual([200, String(25 * MEGABYTE)])
      expect((await upload(27)).status).toBe(413)
    })

    it('an event stream passes event by event', async () => {
      const sent = begin('127.0.0.9', { path: streams.events })
      sent.end()
      streams.send('data: first\n\n')
      const [response] = await once(sent, 'response')
      expect(String((await once(response, 'data'))[0])).toBe('data: first\n\n')
      streams.send('data: second\n\n')
      expect(String((await once(response, 'data'))[0])).toBe('data: second\n\n')
      streams.end()
      response.resume()
      await once(response, 'end')
    })

    it('the log of the proxy contains no secret address, also while the service is away', async () => {
      await api.app.close()
      const answer = await ask('127.0.0.10', { path: '/connect?token=a-secret-of-this-link' })
      expect([502, 503]).toContain(answer.status)
      expect(await proxy.log()).not.toContain('a-secret-of-this-link')
    })
  })
})

async function answerOf(sent: ClientRequest): Promise<Answer> {
  const [response]: IncomingMessage[] = await once(sent, 'response')
  if (!response) throw new Error('no answer')
  return { status: response.statusCode ?? 0, headers: response.headers, body: await text(response) }
}

describe('an unknown proxy', () => {
  it('is reported in the log, once an hour', async () => {
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

  it('is reported in addition to a known one', async () => {
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
