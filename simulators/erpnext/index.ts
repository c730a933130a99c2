import { toLedgerOptions } from '../kit/data/ledger-options.ts'
import { armedReply, brokenReply, type Call, HttpFront, type ServedControls } from '../kit/http/front.ts'
import type { Reply } from '../kit/http/response.ts'
import { SimulatorState } from '../kit/simulator-state.ts'
import type { Simulator, SimulatorOptions } from '../simulator.ts'
import { htmlReply, refusal, send } from './api/replies.ts'
import { answerCall, isData, type Site } from './api/routes.ts'
import type { Row } from './data/chart.ts'
import { createLedger, type Ledger, type OwnState } from './data/ledger.ts'
import { FAULTS } from './faults.ts'

export interface ErpnextSimulatorOptions extends SimulatorOptions {
  /** Major version; defaults to 15. */
  version?: number
  /** Accounts of the load test's company; defaults to 20,000. */
  giantAccounts?: number
}

/** Controls; companies are identified by abbreviation, accounts and vouchers by name. */
export interface ErpnextSimulator extends Simulator, ServedControls, Ledger {}

const HUGE_BYTES = 70 * 1024 * 1024

/** Replies of the proxy while a fault is armed. */
const FAILURES = {
  updating: htmlReply(503, 'Updating'),
  badGateway: htmlReply(502, '502 Bad Gateway'),
  noSite: htmlReply(404, 'erp.example.com does not exist'),
  throttle: {
    ...refusal(429, 'TooManyRequestsError', ''),
    headers: { 'retry-after': '31', 'x-ratelimit-limit': '600', 'x-ratelimit-remaining': '0' },
  },
}

/** Replies to list requests while a fault is armed. */
const DATA_FAILURES = { html: htmlReply(200, 'Login'), empty: { status: 200, type: 'application/json', body: '' } }

export function createErpnextSimulator(options: ErpnextSimulatorOptions): ErpnextSimulator {
  const state = new SimulatorState<Row, OwnState>(options.stateFile, { revoked: [], companyNames: {}, cancelledVouchers: [] })
  const front = new HttpFront(options, state, FAULTS)
  const { faults, now } = front
  const ledger = createLedger(state, toLedgerOptions(options, now))
  const site: Site = { version: options.version ?? 15, state, ledger, faults }

  async function answer(call: Call): Promise<Reply> {
    if (isData(call) && faults.take('slow')) await front.held.hold(call.response)
    const failure = armedReply(faults, FAILURES)
    if (failure) return failure
    const reply = answerCall(site, call)
    return isData(call) ? (armedReply(faults, DATA_FAILURES) ?? brokenReply(faults, reply, HUGE_BYTES)) : reply
  }

  return { key: 'erpnext', ...front.serve(answer, send), ...ledger }
}
