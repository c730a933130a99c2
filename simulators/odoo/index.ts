import { toLedgerOptions } from '../kit/data/ledger-options.ts'
import { armedReply, brokenReply, type Call, HttpFront, type ServedControls } from '../kit/http/front.ts'
import { htmlReply, type Reply } from '../kit/http/response.ts'
import { SimulatorState } from '../kit/simulator-state.ts'
import type { Simulator, SimulatorOptions } from '../simulator.ts'
import { HTML_DOWN, send } from './api/replies.ts'
import { answerService, type OwnState, type Server } from './api/routes.ts'
import type { Row } from './data/chart.ts'
import { createLedger, type Ledger } from './data/ledger.ts'
import { FAULTS } from './faults.ts'

export interface OdooSimulatorOptions extends SimulatorOptions {
  /** Major version, 12 to 22; defaults to 19. JSON-2 exists from 19, JSON-RPC until 21. */
  version?: number
  /** Accounts of the load test's company; defaults to 20,000. */
  giantAccounts?: number
}

/**
 * One answered request, without keys. `what` is the path, for JSON-RPC with service and method. `status` 0: dropped or
 * held.
 */
interface OdooRequest {
  method: string
  what: string
  status: number
}

export interface OdooSimulator extends Simulator, ServedControls<OdooRequest>, Ledger {
  /** Upgrades to another version with the same data. */
  upgrade(version: number): void
}

const BODY_BYTES = 4 * 1024 * 1024
const HUGE_BYTES = 70 * 1024 * 1024

/** Replies of the server while a fault is armed. */
const FAILURES = {
  unavailable: htmlReply(503, HTML_DOWN),
  throttle: htmlReply(429, '<html><body>Too Many Requests</body></html>'),
}

/** Replies to calls for accounts, entries and lines while a fault is armed. */
const DATA_FAILURES = {
  html: htmlReply(200, HTML_DOWN),
  empty: { status: 200, type: 'application/json; charset=utf-8', body: '' },
}

export function createOdooSimulator(options: OdooSimulatorOptions): OdooSimulator {
  const state = new SimulatorState<Row, OwnState>(options.stateFile, { revoked: [] })
  const front = new HttpFront(options, state, FAULTS)
  const { faults, now } = front
  const ledger = createLedger(state, toLedgerOptions(options, now))
  const server: Server = { version: options.version ?? 19, state, ledger, faults }

  async function answer({ path, method, headers, body, entry, response }: Call<OdooRequest>): Promise<Reply> {
    const failure = armedReply(faults, FAILURES)
    if (failure) return failure
    const { reply, what, isData } = answerService(server, { path, method, headers, body })
    entry.what = what
    if (!isData) return reply
    if (faults.take('slow')) await front.held.hold(response)
    return armedReply(faults, DATA_FAILURES) ?? brokenReply(faults, reply, HUGE_BYTES)
  }

  return {
    key: 'odoo',
    ...front.serveLogged<OdooRequest>({
      answer,
      toEntry: ({ method, path }) => ({ method, what: path, status: 0 }),
      send,
      maxBodyBytes: BODY_BYTES,
    }),
    ...ledger,
    upgrade: (version) => {
      server.version = version
    },
  }
}
