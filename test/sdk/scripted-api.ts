import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { Countinghouse, type CountinghouseOptions } from '../../sdk/typescript/src/index.ts'

export type Answer = (request: IncomingMessage, response: ServerResponse) => void

export const PROBLEM = {
  type: 'about:blank',
  title: 'Service Unavailable',
  status: 503,
  detail: 'Later.',
  Code: 503,
  Message: 'The service cannot answer now.',
  requestId: '7d1f0c7e-4a7b-4f0e-9d0b-2b8a4f6f3c11',
}
export const COMPANY = { id: 'c1', name: 'Boulangerie' }

const closing: (() => Promise<void>)[] = []

/** Closes the servers of a test. */
export async function closeApis(): Promise<void> {
  for (const close of closing.splice(0)) await close()
}

/** A server that answers each request with the next of `answers`, the last one again and again. */
export async function openApi(answers: readonly Answer[], options: Partial<CountinghouseOptions> = {}) {
  const requests: IncomingMessage[] = []
  const server = createServer((request, response) => {
    requests.push(request)
    request.resume()
    ;(answers[requests.length - 1] ?? answers.at(-1))?.(request, response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  closing.push(async () => {
    server.closeAllConnections()
    await new Promise((done) => server.close(done))
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server does not listen')
  const login = options.login ? {} : { apiKey: 'chk_test' }
  return { api: new Countinghouse({ baseUrl: `http://127.0.0.1:${address.port}`, ...login, ...options }), requests }
}

export const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  (_request, response) =>
    void response
      .writeHead(status, { 'content-type': status < 400 ? 'application/json' : 'application/problem+json', ...headers })
      .end(JSON.stringify(body))
export const nothing: Answer = (request) => void request.socket.destroy()
export const neverAnswers: Answer = () => undefined
export const page = (data: unknown[]) => ({ pageNumber: 1, pageSize: 2, count: data.length, data })
