import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { issueSandboxToken } from '../src/cli/deployment/sandbox-token.ts'
import { readSettings } from '../src/cli/deployment/settings.ts'
import { verifyWebhook } from '../src/webhooks/verify.ts'

/**
 * A receiver to try events with: `npm run receive` alongside a running `npm start`. Opens a session in the sandbox,
 * subscribes to NormalizedData on this machine, verifies the signatures of events and prints them. Ctrl-C
 * unsubscribes.
 */
const base = process.env.BASE_URL ?? `http://127.0.0.1:${process.env.PORT ?? 8480}`
const api = `${base}/admin/api/v1`
const say = (text: string) => process.stdout.write(`${text}\n`)

interface Subscribed {
  id: string
  secret: string
}

async function main(): Promise<void> {
  const token = await logIn()
  const server = createServer()
  await new Promise<void>((done) => server.listen(Number(process.env.RECEIVER_PORT ?? 0), '127.0.0.1', done))
  const address = server.address()
  if (!address || typeof address === 'string') throw new Error('the receiver has no port')
  const callbackUrl = `http://127.0.0.1:${address.port}/events`
  const subscription = (await call(token, 'POST', '/webhooks/subscriptions/NormalizedData', { callbackUrl })) as Subscribed
  server.on('request', async (request, response) => {
    const body = await text(request)
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
    const isGenuine = verifyWebhook(headers, body, subscription.secret)
    say(
      `\n${new Date().toISOString()}  ${isGenuine ? 'signature valid' : 'SIGNATURE NOT VALID'}\n${JSON.stringify(JSON.parse(body), null, 2)}`,
    )
    response.writeHead(isGenuine ? 204 : 401).end()
  })
  say(`Listening on ${callbackUrl}. Connect a company, or refresh a connection, and the event appears here. Ctrl-C ends.`)
  const leave = async (): Promise<void> => {
    await call(token, 'DELETE', `/webhooks/subscriptions/${subscription.id}`)
    process.exit(0)
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void leave())
}

/** Opens a session as the sandbox's first administrator, with the settings of the service. */
async function logIn(): Promise<string> {
  const config = readSettings({ env: { ...process.env, BASE_URL: base }, say })
  if (config.environment !== 'sandbox') throw new Error('events are received in the sandbox only')
  // A service that is not running is reported without starting its database.
  await ask(`${base}/healthz`, {})
  return await issueSandboxToken(config)
}

async function call(token: string, method: string, path: string, body?: unknown): Promise<unknown> {
  const response = await ask(`${api}${path}`, {
    method,
    headers: {
      ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`)
  return response.status === 204 ? null : await response.json()
}

async function ask(url: string, init: RequestInit): Promise<Response> {
  return await fetch(url, init).catch((cause: unknown) => {
    throw new Error(`nobody answers at ${base}; start the service first (npm start), with the same PORT`, { cause })
  })
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
})
