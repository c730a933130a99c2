import { once } from 'node:events'
import { request as openRequest } from 'node:http'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { beforeAll, expect, it } from 'vitest'
import { type LoadedPage, Owner } from '../connect/kit/owner.ts'
import { openForTests } from '../harness/for-tests.ts'
import { Client } from '../journey/client.ts'
import { until } from '../process/deadline.ts'
import { openSandbox } from '../process/sandbox.ts'
import type { Service } from '../process/service.ts'

const HALF_OPEN = 900
const BEGINNINGS = [
  '',
  'GET /healthz HTTP/1.1\r\nhost: x\r\n',
  'POST /admin/api/v1/auth/login HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 90\r\n\r\n{',
]

const sandbox = openForTests(openSandbox)
let service: Service
beforeAll(() => {
  service = sandbox.service
})

/** A client that never closes its side. */
function attack(port: number, beginning: string): Socket {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () => beginning !== '' && socket.write(beginning))
  return socket.on('error', () => undefined).resume()
}

async function countConnections(): Promise<number> {
  const metrics = await (await fetch(`${service.baseUrl}/metrics`)).text()
  return Number(/^countinghouse_http_connections (\d+)/m.exec(metrics)?.[1])
}

/** Sends the beginning of a statement; `end` sends the rest and returns the page of the response. */
function beginUpload(page: LoadedPage, owner: Owner): { end(): Promise<{ status: number; body: string }> } {
  const fields = Object.entries(page.hiddenFields()).map(
    ([name, value]) => `--edge\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  )
  const cookie = [...owner.cookies].map(([name, { value }]) => `${name}=${value}`).join('; ')
  const headers = { cookie, 'sec-fetch-site': 'same-origin', 'content-type': 'multipart/form-data; boundary=edge' }
  const sending = openRequest(`${service.baseUrl}${page.formAction()}`, { method: 'POST', headers })
  const answer = new Promise<{ status: number; body: string }>((resolve, reject) => {
    sending.on('error', reject)
    sending.on('response', (response) => {
      text(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject)
    })
  })
  answer.catch(() => undefined)
  sending.write(`${fields.join('')}--edge\r\ncontent-disposition: form-data; name="files"; filename="a.ofx"\r\n\r\nOFXHEADER:100\n`)
  return {
    end: () => {
      sending.end('\r\n--edge--\r\n')
      return answer
    },
  }
}

it('900 half-open sockets are closed within 12 s; in the meantime requests are answered, and a slow upload continues', async () => {
  const client = await Client.logIn(service)
  const owner = new Owner(service.baseUrl)
  const companyId = await client.addCompany('Scierie du Lac')
  const upload = beginUpload(await owner.agree(await client.link(companyId, (await client.service('Bank files')).id)), owner)

  const port = Number(new URL(service.baseUrl).port)
  const attacks = Array.from({ length: HALF_OPEN }, (_one, index) => attack(port, BEGINNINGS[index % BEGINNINGS.length] ?? ''))
  await Promise.all(attacks.map((socket) => once(socket, 'connect')))
  const startedAt = performance.now()
  await until('all are accepted', async () => (await countConnections()) > HALF_OPEN || null)
  const waits: number[] = []
  await until('no half-open socket', async () => {
    const askedAt = performance.now()
    expect((await client.ask('/normalized-data/companies')).status).toBe(200)
    waits.push(performance.now() - askedAt)
    return (await countConnections()) < 20 || null
  })
  expect(performance.now() - startedAt).toBeLessThan(12_000)
  expect(Math.max(...waits)).toBeLessThan(3_000)

  // Longer than any other body may take.
  const { status, body } = await upload.end()
  expect([status, body]).toEqual([422, expect.stringContaining('a.ofx')])
  for (const socket of attacks) socket.destroy()
})
