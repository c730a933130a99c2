import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Simulator, SimulatorOptions } from '../simulator.ts'
import { ArmedFaults } from './faults.ts'
import { HeldRequests } from './held-requests.ts'
import { Ledger } from './ledger.ts'
import { HTML_DOWN, htmlReply, type Reply, send } from './replies.ts'
import { answerService, type Server } from './service.ts'
import { type Row, SimulatorState } from './state.ts'

export interface OdooSimulatorOptions extends SimulatorOptions {
  /** Major version, 12 to 22; 19 when left out. Below 19 there is no JSON-2, from 22 on no JSON-RPC. */
  version?: number
  /** Accounts of the load test's company; 20,000 when left out. */
  giantAccounts?: number
}

/** One request as it was answered; keys are not kept. `what` is the path, for JSON-RPC with service and method. `status` 0: dropped or held. */
interface LoggedRequest {
  method: string
  what: string
  status: number
}

export interface OdooSimulator extends Simulator {
  editAccount(companyId: number, accountId: number, changes: Record<string, unknown>): Row
  addAccount(companyId: number, fields: { code: string; name: string; accountType: string }): Row
  removeAccount(companyId: number, accountId: number): void
  removeMove(companyId: number, moveId: number): void
  /** Puts another version in its place, with the same data. */
  upgrade(version: number): void
  /** Lets the requests go on that `slow` holds. */
  release(): void
  countHeld(): number
  /** The newest 10,000 requests, oldest first. */
  listRequests(): readonly LoggedRequest[]
}

const LOG_LENGTH = 10_000
const BODY_BYTES = 4 * 1024 * 1024
const HUGE_BYTES = 70 * 1024 * 1024

export function createOdooSimulator(options: OdooSimulatorOptions): OdooSimulator {
  const state = new SimulatorState(options.stateFile)
  const now = () => new Date((options.now?.() ?? new Date()).getTime() + state.data.clockMs)
  const ledger = new Ledger(state, { seed: options.seed ?? 1, giantAccounts: options.giantAccounts ?? 20_000, now })
  const faults = new ArmedFaults()
  const held = new HeldRequests()
  const server: Server = { version: options.version ?? 19, state, ledger, faults }
  const log: LoggedRequest[] = []

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = withoutPrefix(new URL(request.url ?? '/', 'http://simulator').pathname, options.baseUrl())
    const body = request.method === 'POST' ? await readBody(request) : ''
    const entry = { method: request.method ?? 'GET', what: path, status: 0 }
    log.push(entry)
    if (log.length > LOG_LENGTH) log.shift()
    response.on('finish', () => {
      entry.status = response.statusCode
    })
    if (faults.take('unavailable')) return send(response, htmlReply(503, HTML_DOWN))
    if (faults.take('throttle')) return send(response, htmlReply(429, '<html><body>Too Many Requests</body></html>'))
    const { reply, what, isData } = answerService(server, { path, method: entry.method, headers: request.headers, body })
    entry.what = what
    if (isData && faults.take('slow')) await held.hold(response)
    send(response, isData ? disturbed(reply) : reply)
  }

  function disturbed(reply: Reply): Reply {
    if (faults.take('html')) return htmlReply(200, HTML_DOWN)
    if (faults.take('empty')) return { status: 200, type: 'application/json; charset=utf-8', body: '' }
    if (faults.take('truncated')) return { ...reply, body: reply.body.slice(0, Math.floor(reply.body.length * 0.6)) }
    if (faults.take('huge')) return { ...reply, body: reply.body + ' '.repeat(HUGE_BYTES) }
    return reply
  }

  return {
    key: 'odoo',
    handle: (request, response) => {
      answer(request, response).catch((cause: unknown) => response.destroy(cause instanceof Error ? cause : new Error(String(cause))))
    },
    fault: (name, times = 1) => faults.arm(name, times),
    clearFaults: () => {
      faults.clear()
      held.release()
    },
    moveClock: (ms) => {
      state.data.clockMs += ms
      state.save()
    },
    close: async () => held.drop(),
    editAccount: (companyId, accountId, changes) => ledger.editAccount(companyId, accountId, changes),
    addAccount: (companyId, fields) => ledger.addAccount(companyId, fields),
    removeAccount: (companyId, accountId) => ledger.removeAccount(companyId, accountId),
    removeMove: (companyId, moveId) => ledger.removeMove(companyId, moveId),
    upgrade: (version) => {
      server.version = version
    },
    release: () => held.release(),
    countHeld: () => held.size,
    listRequests: () => log,
  }
}

/** The simulator may be mounted below a path of the server that carries it. */
function withoutPrefix(path: string, baseUrl: string): string {
  const prefix = URL.canParse(baseUrl) ? new URL(baseUrl).pathname.replace(/\/$/, '') : ''
  return prefix !== '' && path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : path
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk)
    length += bytes.length
    if (length > BODY_BYTES) throw new Error('the request body is too large')
    chunks.push(bytes)
  }
  return Buffer.concat(chunks).toString()
}
