import Fastify from 'fastify'
import { afterAll, expect, it } from 'vitest'
import { separateHosts } from './owners-host.ts'

const OWNERS = 'https://connect.example.com:8443'
const app = Fastify()
app.addHook('onRequest', separateHosts(OWNERS))
app.route({ method: ['GET', 'POST'], url: '/*', handler: async () => 'answered' })
app.setErrorHandler((error, _request, reply) => reply.code((error as { status?: number }).status ?? 500).send())
afterAll(() => app.close())

it.each([
  ['connect.example.com:8443', '/connect', 200],
  ['connect.example.com:8443', '/connect/consent', 200],
  ['CONNECT.example.com:8443', '/connect?token=x', 200],
  ['connect.example.com:8443', '/connected', 404],
  ['connect.example.com:8443', '/portal/', 404],
  ['connect.example.com:8443', '/admin/api/v1/companies', 404],
  ['connect.example.com:8443', '/', 404],
  ['books.example.com', '/portal/', 200],
  ['books.example.com', '/connected', 200],
  ['books.example.com', '/x/connect/consent', 200],
  ['books.example.com', '/connect', `${OWNERS}/connect`],
  ['books.example.com', '/connect/consent?link=x', `${OWNERS}/connect/consent?link=x`],
  ['connect.example.com', '/connect/consent', `${OWNERS}/connect/consent`],
  ['connect.example.com', '/portal/', 200],
  ...['/hooks/xero', '/logos/a.svg', '/.well-known/x', '/livez', '/readyz', '/healthz', '/connect/link/element.js'].flatMap((path) =>
    ['connect.example.com:8443', 'books.example.com'].map((host): [string, string, number] => [host, path, 200]),
  ),
])('%s%s is answered by %s', async (host, url, expected) => {
  const { statusCode, headers } = await app.inject({ url, headers: { host } })
  expect(statusCode === 308 ? headers.location : statusCode).toBe(expected)
})

it('a form that a source sends to the other host is sent on as a form', async () => {
  const { statusCode, headers } = await app.inject({ method: 'POST', url: '/connect/callback', headers: { host: 'books.example.com' } })
  expect([statusCode, headers.location]).toEqual([308, `${OWNERS}/connect/callback`])
})
