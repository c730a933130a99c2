import {
  type BankContext,
  type BankSimulator,
  type Call,
  createBankSimulator,
  htmlReply,
  jsonReply,
  readBasic,
} from '../kit/bank-simulator.ts'
import type { Reply } from '../kit/http/response.ts'
import type { SimulatorOptions } from '../simulator.ts'
import { toAccounts, toTransactions } from './api/views.ts'
import { accountNames } from './data/chart.ts'
import { listEntries } from './data/journal.ts'
import { FAULTS, type FaultName } from './faults.ts'

const LOGIN = { user: 'noemie', password: 'sandbox-password-noemie' }

interface State {
  isLoginRevoked: boolean
}

export type HledgerSimulator = BankSimulator<State>

/** Simulator of hledger-web 1.25 with the journal of one small business, behind a proxy that requires HTTP Basic. */
export function createHledgerSimulator(options: SimulatorOptions): HledgerSimulator {
  const entries = listEntries()
  const answers = new Map<string, unknown>([
    ['/version', '1.25'],
    ['/accountnames', accountNames],
    ['/accounts', toAccounts(entries)],
    ['/transactions', toTransactions(entries)],
  ])
  return createBankSimulator<State, FaultName>(options, {
    key: 'hledger',
    faults: FAULTS,
    isState: (value): value is State => typeof value === 'object' && value !== null && 'isLoginRevoked' in value,
    initial: () => ({ isLoginRevoked: false }),
    isData: ({ path }) => answers.has(path),
    answer: (context, call) => refuse(context, call) ?? answerRead(context, call, answers),
  })
}

/** Done by the proxy: hledger-web itself has no users. */
function refuse(context: BankContext<State, FaultName>, { headers }: Call): Reply | null {
  const login = readBasic(headers)
  const isRight = login?.user === LOGIN.user && login.password === LOGIN.password
  if (isRight && context.take('revoked')) {
    context.state.isLoginRevoked = true
    context.save()
  }
  if (isRight && !context.state.isLoginRevoked && !context.take('unauthorized')) return null
  return { ...htmlReply(401, '401 Authorization Required'), headers: { 'www-authenticate': 'Basic realm="livres"' } }
}

function answerRead(context: BankContext<State, FaultName>, { method, path }: Call, answers: ReadonlyMap<string, unknown>): Reply {
  if (!answers.has(path)) return htmlReply(404, 'Not Found')
  if (method !== 'GET') return htmlReply(405, 'Method Not Supported')
  if (context.take('forbidden')) return htmlReply(403, 'Permission Denied')
  return jsonReply(200, answers.get(path), { 'content-type': 'application/json; charset=utf-8' })
}
