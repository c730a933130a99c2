import { once } from 'node:events'
import { request as openRequest, type RequestOptions } from 'node:http'
import { connect } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { describe, expect, it } from 'vitest'
import { Owner } from '../connect/kit/owner.ts'
import { databaseForTests, folderForTests } from '../harness/for-tests.ts'
import { Client } from '../journey/client.ts'
import { connectQuickbooks } from '../journey/http-walks.ts'
import { until } from './deadline.ts'
import { type Service, startService } from './service.ts'

const BAKERY = '4620816365200000101'

interface Line {
  level: string
  msg: string
  requestId?: string
  status?: number
  err?: object
}

const folder = folderForTests()
const test = databaseForTests()

/** Lines of the log; throws for one that is not JSON. */
function linesOf(output: string): Line[] {
  return output
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line)
}

/** Sends bytes, waits for the response, and aborts the connection. */
async function sendRaw(port: number, bytes: string | Buffer): Promise<void> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined)
  socket.write(bytes)
  socket.once('data', () => socket.destroy())
  const timer = setTimeout(() => socket.destroy(), 1_000)
  await once(socket, 'close')
  clearTimeout(timer)
}

/** Starts a request with a body and aborts it midway. */
async function breakOff(origin: string, path: string, options: RequestOptions, beginning: string): Promise<void> {
  const sending = openRequest(`${origin}${path}`, { method: 'POST', ...options }).on('error', () => undefined)
  await new Promise<void>((done) => sending.write(beginning, () => done()))
  // In the meantime the service has read what was sent before.
  for (let round = 0; round < 3; round++) await (await fetch(`${origin}/livez`)).text()
  sending.destroy()
}

async function attack(origin: string): Promise<void> {
  const port = Number(new URL(origin).port)
  await sendRaw(port, 'BREW / HTTP/1.1\r\n\r\n')
  await sendRaw(port, `GET / HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(40_000)}\r\n\r\n`)
  await sendRaw(port, 'POST /admin/api/v1/auth/login HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\nzz')
  await sendRaw(port, Buffer.from(Array.from({ length: 300 }, (_one, index) => index % 256)))
  await new Promise<void>((done) => {
    const tls = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false }).on('error', () => done())
    tls.on('close', () => done())
  })
  const json = { 'content-type': 'application/json' }
  for (const body of ['{', '{"email":1}', 'null', `{"a":${'['.repeat(5_000)}`, '{"__proto__":{}}']) {
    await (await fetch(`${origin}/admin/api/v1/auth/login`, { method: 'POST', headers: json, body })).text()
  }
  for (const path of ['/%00', '/%', '/../../etc/passwd', '/connect/callback?state=x&state=y', '/connect?token=%ff', '/hooks/plaid/x']) {
    await (await fetch(`${origin}${path}`)).text()
  }
  await breakOff(origin, '/admin/api/v1/auth/login', { headers: { ...json, 'content-length': 1_000 } }, '{"email":')
  await breakOff(origin, '/hooks/plaid', { headers: { ...json, 'content-length': 1_000 } }, '{"webhook":')
  await breakOff(
    origin,
    '/connect/consent',
    { headers: { 'content-type': 'application/x-www-form-urlencoded', 'content-length': 1_000 } },
    'choice=',
  )
}

describe('the log in production', () => {
  it('is JSON only, and an attack is not logged as our error', async () => {
    const service = await startService({
      dataDir: folder.path,
      environment: { DATABASE_URL: test.url, ENVIRONMENT: 'production', SEED_PASSWORD: 'harbour-violet-teapot-91' },
    })
    await attack(service.baseUrl)
    expect(await service.stop()).toEqual({ code: 0, signal: null })
    const lines = linesOf(service.output())
    expect(lines.filter(({ level }) => level === 'error' || level === 'fatal')).toEqual([])
    const requests = lines.filter(({ msg }) => msg === 'request')
    expect(requests.length).toBeGreaterThan(5)
    expect(requests.filter(({ requestId }) => !requestId)).toEqual([])
    expect(requests.filter(({ status = 0 }) => status >= 500)).toEqual([])
  })
})

describe('a service under load', () => {
  let service: Service
  let client: Client

  it('logs aborted uploads without an error, and stops without a stack trace', async () => {
    service = await startService({ dataDir: `${folder.path}/sandbox`, environment: { LOG_LEVEL: 'info' } })
    client = await Client.logIn(service)
    await Promise.all([abortUploads(), connectBooks()])
    let isStopping = false
    const ask = async (): Promise<void> => {
      while (!isStopping) await client.companies().catch(() => null)
    }
    const load = Array.from({ length: 20 }, ask)
    await client.subscribe('NormalizedData', 'http://127.0.0.1:9/nobody')
    const [companyId = ''] = (await client.companies()).map(({ id }) => id)
    const { id: serviceId } = await client.service('QuickBooks Online')
    await client.ask('/sandbox/simulators/quickbooks/faults', { method: 'POST', body: { name: 'slow', times: 10 } })
    await client.refresh(companyId, serviceId)
    const before = service.output().length
    const ended = service.stop()
    expect(await ended).toEqual({ code: 0, signal: null })
    isStopping = true
    await Promise.all(load)
    // The sandbox also prints a banner.
    const lines = linesOf(service.output().replaceAll(/^(?!\{).*$/gm, ''))
    expect(lines.filter(({ level }) => level === 'error' || level === 'fatal')).toEqual([])
    expect(service.output().slice(before)).not.toMatch(/"stack"|\n\s+at /)
  })

  async function abortUploads(): Promise<void> {
    const companyId = await client.addCompany('Upload')
    const files = await client.service('Bank files')
    const owner = new Owner(service.baseUrl)
    const page = await owner.agree(await client.link(companyId, files.id))
    const cookie = [...owner.cookies].map(([name, { value }]) => `${name}=${value}`).join('; ')
    const boundary = 'of-the-test'
    const fields = Object.entries(page.hiddenFields()).map(
      ([name, value]) => `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
    )
    const file = `--${boundary}\r\ncontent-disposition: form-data; name="files"; filename="a.ofx"\r\n\r\n${'OFXHEADER:100\n'.repeat(300_000)}`
    const headers = { cookie, 'sec-fetch-site': 'same-origin', 'content-type': `multipart/form-data; boundary=${boundary}` }
    for (let index = 0; index < 3; index++) await breakOff(service.baseUrl, page.formAction(), { headers }, fields.join('') + file)
    await until('an upload that broke off', () => (service.output().includes('"problem":"unreadable"') ? true : null))
  }

  async function connectBooks(): Promise<void> {
    const { id } = await client.service('QuickBooks Online')
    const companyId = await client.addCompany('Books')
    await connectQuickbooks(service.baseUrl, await client.link(companyId, id), { realmId: BAKERY })
    await client.connectionInStatus(companyId, [15, 18, 19])
  }
})
