import type { IncomingMessage, ServerResponse } from 'node:http'
import { Faults } from '../kit/faults.ts'
import { controlsOf } from '../kit/http/controls.ts'
import { HeldRequests } from '../kit/http/held-requests.ts'
import { RequestLog, toEntry, withoutPrefix } from '../kit/http/request.ts'
import { cutReply, paddedReply, type Reply } from '../kit/http/response.ts'
import type { Simulator, SimulatorOptions } from '../simulator.ts'
import { answerCall, type Call, isData, type Site } from './api.ts'
import { FAULTS } from './faults.ts'
import { Ledger } from './ledger.ts'
import { htmlReply, refusal, send } from './replies.ts'
import { type Row, SimulatorState } from './state.ts'

export interface ErpnextSimulatorOptions extends SimulatorOptions {
  /** Major version, 15 when left out. */
  version?: number
  /** Accounts of the load test's company; 20,000 when left out. */
  giantAccounts?: number
}

/** One request as it was answered; keys are not kept. `status` 0: dropped or still held. */
interface LoggedRequest {
  method: string
  path: string
  query: string
  status: number
}

export interface ErpnextSimulator extends Simulator {
  /** Companies by abbreviation, accounts and vouchers by name. */
  editAccount(abbr: string, account: string, changes: Record<string, unknown>): Row
  addAccount(abbr: string, fields: { title: string; type: string; rootType: string }): Row
  removeAccount(abbr: string, account: string): void
  cancelVoucher(abbr: string, number: string): void
  renameCompany(abbr: string, name: string): void
  /** Lets the requests go on that `slow` holds. */
  release(): void
  countHeld(): number
  /** The newest 10,000 requests, oldest first. */
  listRequests(): readonly LoggedRequest[]
}

const HUGE_BYTES = 70 * 1024 * 1024

export function createErpnextSimulator(options: ErpnextSimulatorOptions): ErpnextSimulator {
  const state = new SimulatorState(options.stateFile)
  const now = () => new Date((options.now?.() ?? new Date()).getTime() + state.data.clockMs)
  const ledger = new Ledger(state, { seed: options.seed ?? 1, giantAccounts: options.giantAccounts ?? 20_000, now })
  const faults = new Faults(FAULTS)
  const held = new HeldRequests()
  const site: Site = { version: options.version ?? 15, state, ledger, faults }
  const log = new RequestLog()

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://simulator')
    const entry = log.note(toEntry(request, url), response)
    request.resume()
    const path = withoutPrefix(url.pathname, options.baseUrl())
    const call = { method: entry.method, path, query: url.searchParams, headers: request.headers }
    if (isData(call) && faults.take('slow')) await held.hold(response)
    send(response, gatewayFault() ?? disturbed(call, answerCall(site, call)))
  }

  function gatewayFault(): Reply | null {
    if (faults.take('updating')) return htmlReply(503, 'Updating')
    if (faults.take('badGateway')) return htmlReply(502, '502 Bad Gateway')
    if (faults.take('noSite')) return htmlReply(404, 'erp.example.com does not exist')
    if (!faults.take('throttle')) return null
    return {
      ...refusal(429, 'TooManyRequestsError', ''),
      headers: { 'retry-after': '31', 'x-ratelimit-limit': '600', 'x-ratelimit-remaining': '0' },
    }
  }

  function disturbed(call: Call, reply: Reply): Reply {
    if (!isData(call)) return reply
    if (faults.take('html')) return htmlReply(200, 'Login')
    if (faults.take('empty')) return { status: 200, type: 'application/json', body: '' }
    if (faults.take('truncated')) return cutReply(reply)
    if (faults.take('huge')) return paddedReply(reply, HUGE_BYTES)
    return reply
  }

  return {
    key: 'erpnext',
    ...controlsOf({ answer, faults, held, state }),
    editAccount: (abbr, account, changes) => ledger.editAccount(abbr, account, changes),
    addAccount: (abbr, fields) => ledger.addAccount(abbr, fields),
    removeAccount: (abbr, account) => ledger.removeAccount(abbr, account),
    cancelVoucher: (abbr, number) => ledger.cancelVoucher(abbr, number),
    renameCompany: (abbr, name) => ledger.renameCompany(abbr, name),
    release: () => held.release(),
    countHeld: () => held.size,
    listRequests: () => log.entries,
  }
}
