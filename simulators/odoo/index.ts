import type { IncomingMessage, ServerResponse } from 'node:http'
import { Faults } from '../kit/faults.ts'
import { controlsOf } from '../kit/http/controls.ts'
import { HeldRequests } from '../kit/http/held-requests.ts'
import { RequestLog, readBody, withoutPrefix } from '../kit/http/request.ts'
import { cutReply, paddedReply, type Reply } from '../kit/http/response.ts'
import type { Simulator, SimulatorOptions } from '../simulator.ts'
import { FAULTS } from './faults.ts'
import { Ledger } from './ledger.ts'
import { HTML_DOWN, htmlReply, send } from './replies.ts'
import { answerService, type Server } from './service.ts'
import { type Row, SimulatorState } from './state.ts'

export interface OdooSimulatorOptions extends SimulatorOptions {
  /** Major version, 12 to 22; 19 when left out. Below 19 there is no JSON-2, from 22 on no JSON-RPC. */
  version?: number
  /** Accounts of the load test's company; 20,000 when left out. */
  giantAccounts?: number
}

/** One request as it was answered; keys are not kept. `what` is the path, for JSON-RPC with service and method. `status` 0: dropped or held. */
interface OdooRequest {
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
  listRequests(): readonly OdooRequest[]
}

const BODY_BYTES = 4 * 1024 * 1024
const HUGE_BYTES = 70 * 1024 * 1024

export function createOdooSimulator(options: OdooSimulatorOptions): OdooSimulator {
  const state = new SimulatorState(options.stateFile)
  const now = () => new Date((options.now?.() ?? new Date()).getTime() + state.data.clockMs)
  const ledger = new Ledger(state, { seed: options.seed ?? 1, giantAccounts: options.giantAccounts ?? 20_000, now })
  const faults = new Faults(FAULTS)
  const held = new HeldRequests()
  const server: Server = { version: options.version ?? 19, state, ledger, faults }
  const log = new RequestLog<OdooRequest>()

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = withoutPrefix(new URL(request.url ?? '/', 'http://simulator').pathname, options.baseUrl())
    const body = request.method === 'POST' ? await readBody(request, BODY_BYTES) : ''
    const entry = log.note({ method: request.method ?? 'GET', what: path, status: 0 }, response)
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
    if (faults.take('truncated')) return cutReply(reply)
    if (faults.take('huge')) return paddedReply(reply, HUGE_BYTES)
    return reply
  }

  return {
    key: 'odoo',
    ...controlsOf({ answer, faults, held, state }),
    editAccount: (companyId, accountId, changes) => ledger.editAccount(companyId, accountId, changes),
    addAccount: (companyId, fields) => ledger.addAccount(companyId, fields),
    removeAccount: (companyId, accountId) => ledger.removeAccount(companyId, accountId),
    removeMove: (companyId, moveId) => ledger.removeMove(companyId, moveId),
    upgrade: (version) => {
      server.version = version
    },
    release: () => held.release(),
    countHeld: () => held.size,
    listRequests: () => log.entries,
  }
}
