import { toDayText } from '../kit/data/days.ts'
import { armedReply, type Call as FrontCall, HttpFront, type ServedControls } from '../kit/http/front.ts'
import { bearerToken } from '../kit/http/request.ts'
import { cutReply, DROPPED, emptyReply, htmlReply, paddedReply, type Reply, textReply } from '../kit/http/response.ts'
import { sendWebhook } from '../kit/http/webhook-sender.ts'
import type { Simulator, SimulatorOptions } from '../simulator.ts'
import { type Call, callApi, errorReply, issueToken, userOf } from './api/routes.ts'
import { driftReply } from './api/schema-drift.ts'
import type { Context } from './context.ts'
import { buildProviders } from './data/institutions.ts'
import { addTransaction } from './data/ledger.ts'
import { fail, settle } from './data/refresh.ts'
import { FAULTS } from './faults.ts'
import { type Account, openState, type ProviderAccount, type Transaction } from './state.ts'
import { launch, submitStep } from './window/routes.ts'
import { INITIALIZE_SCRIPT } from './window/script.ts'
import type { Session } from './window/session.ts'

export interface YodleeSimulatorOptions extends SimulatorOptions {
  /** Number of institutions in the directory; defaults to 400. */
  institutionCount?: number
  /** The only pair of keys that is accepted; defaults to any. */
  keys?: { clientId: string; secret: string }
  adminLoginName?: string
  /** Size of the login at the giant bank; defaults to 600 accounts and 2,500 transactions. */
  giant?: { accounts: number; transactions: number }
}

/** One API call with its answer, for tests; `answer` is null if a fault replaced it. */
export interface RecordedCall extends Call {
  status: number
  answer: unknown
}

export interface YodleeSimulator extends Simulator, ServedControls {
  calls: readonly RecordedCall[]
  /** Webhooks posted to subscribers, with the response status; null if there was no response. */
  webhooks: readonly { url: string; body: string; status: number | null }[]
  subscriptions(): Readonly<Record<string, string>>
  localeOf(loginName: string): string | undefined
  providerAccounts(): readonly Readonly<ProviderAccount>[]
  /** Makes the refresh fail at the bank, with the additional status of the datasets. */
  fail(providerAccountId: number, additionalStatus: string, status?: string): void
  /** Resets a provider account to the state before its first refresh. */
  forgetReading(providerAccountId: number): void
  editAccount(providerAccountId: number, role: string, fields: Account['fields']): void
  removeAccount(providerAccountId: number, role: string): void
  addTransactions(providerAccountId: number, role: string, cents: readonly number[]): number[]
  editTransaction(providerAccountId: number, id: number, changes: Partial<Pick<Transaction, 'status' | 'cents'>>): void
  removeTransaction(providerAccountId: number, id: number): void
  webhooksSettled(): Promise<void>
}

const CALLS_KEPT = 2_000
const HUGE_BYTES = 48 * 1_048_576
const HTML = '<!doctype html><html><head><title>Yodlee</title></head><body><h1>Back soon</h1></body></html>'

/** Replies of the API while a fault is armed. */
const FAILURES = {
  throttle: errorReply(429, 'Y500', 'Too many requests', { 'retry-after': '45' }),
  throttleBare: errorReply(429, 'Y500', 'Too many requests'),
  forbidden: errorReply(403, 'Y901', 'Service not supported'),
  unavailable: htmlReply(503, HTML),
  badGateway: textReply(502, 'Bad Gateway'),
  html: htmlReply(200, HTML),
  empty: emptyReply(200),
}

/** Simulator of Yodlee: core API 1.1, FastLink 4, unsigned webhooks. Source: Yodlee's core API document, version 1.1 */
export function createYodleeSimulator(options: YodleeSimulatorOptions): YodleeSimulator {
  const seed = options.seed ?? 1
  const store = openState(options.stateFile)
  const state = store.data
  const front = new HttpFront(options, store, FAULTS)
  const { faults, now } = front
  const sessions = new Map<string, Session>()
  const calls: RecordedCall[] = []
  const webhooks: { url: string; body: string; status: number | null }[] = []
  let posting = Promise.resolve()

  const context: Context = {
    seed,
    state,
    giant: options.giant ?? { accounts: 600, transactions: 2_500 },
    directory: buildProviders(seed, options.institutionCount ?? 400),
    adminLoginName: options.adminLoginName ?? 'sandbox-admin',
    nowMs: () => now().getTime(),
    baseUrl: options.baseUrl,
    save: () => store.save(),
    send: (event, body) => {
      const url = state.subscriptions[event]
      if (url !== undefined) posting = posting.then(async () => void webhooks.push(await post(url, JSON.stringify(body))))
    },
  }

  async function answer({ request, response, method, path, query, headers, body }: FrontCall): Promise<Reply> {
    const call: Call = { method, path, query, headers, body }
    const page = fastlinkReply(call)
    if (page) return page
    if (faults.take('slow')) await front.held.hold(response)
    if (faults.take('reset')) return DROPPED
    const replaced = armedReply(faults, FAILURES)
    const reply = replaced ?? answerApi(call, bearerToken(request))
    calls.push({ ...call, status: reply.status, answer: replaced || reply.body === '' ? null : JSON.parse(reply.body) })
    if (calls.length > CALLS_KEPT) calls.shift()
    if (faults.take('huge')) return paddedReply(reply, HUGE_BYTES)
    if (faults.take('truncated')) return cutReply(reply)
    return /^\/(accounts|transactions)$/.test(path) && faults.take('schemaDrift') ? driftReply(reply) : reply
  }

  function fastlinkReply({ method, path, body }: Call): Reply | null {
    if (path === '/initialize.js') return { status: 200, type: 'text/javascript; charset=utf-8', body: INITIALIZE_SCRIPT }
    if (method !== 'POST') return null
    if (path === '/') return launch(context, sessions, new URLSearchParams(body))
    const [, id] = /^\/fastlink\/([\w-]{1,60})$/.exec(path) ?? []
    return id === undefined ? null : submitStep(context, sessions, id, new URLSearchParams(body))
  }

  function answerApi(call: Call, token: string): Reply {
    if (call.headers['api-version'] !== '1.1') return errorReply(401, 'Y016', 'Api-Version header missing')
    if (call.path === '/auth/token') {
      if (faults.take('revoked')) return errorReply(400, 'Y004', 'Inactive user')
      if (faults.take('invalidKeys')) return errorReply(400, 'Y301', 'Invalid clientId or secret')
      return issueToken(context, call, options.keys)
    }
    const user = userOf(context, token)
    if ('status' in user) return user
    if (faults.take('unauthorized')) return errorReply(401, 'Y020', 'Invalid token in authorization header')
    const isOne = /^\/providerAccounts\/\d+$/.test(call.path)
    const isRepeated = (skip: number) => skip > 0 && faults.take('repeatedPage')
    return callApi(context, user, call, { isRevoked: isOne && faults.take('revoked'), isGone: isOne && faults.take('gone'), isRepeated })
  }

  function getOwner(id: number): ProviderAccount {
    const found = state.providerAccounts[id]
    if (!found) throw new RangeError('unknown provider account')
    return found
  }

  function accountOf(owner: ProviderAccount, role: string): Account {
    const account = owner.accounts.find((each) => each.role === role)
    if (!account) throw new RangeError(`unknown account "${role}"`)
    return account
  }

  const controls = front.serve(answer)
  return {
    key: 'yodlee',
    calls,
    webhooks,
    subscriptions: () => state.subscriptions,
    localeOf: (loginName) => state.users[loginName]?.locale,
    providerAccounts: () => Object.values(state.providerAccounts),
    ...controls,
    moveClock(ms) {
      controls.moveClock(ms)
      for (const account of Object.values(state.providerAccounts)) settle(context, account)
      context.save()
    },
    fail: (id, additionalStatus, status) => fail(context, getOwner(id), additionalStatus, status),
    forgetReading(id) {
      getOwner(id).lastUpdated = null
      context.save()
    },
    editAccount(id, role, fields) {
      Object.assign(accountOf(getOwner(id), role).fields, fields)
      context.save()
    },
    removeAccount(id, role) {
      const owner = getOwner(id)
      owner.accounts.splice(owner.accounts.indexOf(accountOf(owner, role)), 1)
      context.save()
    },
    addTransactions(id, role, cents) {
      const owner = getOwner(id)
      const words = { isCredit: true, words: 'COUNTER ENTRY', merchant: '', category: 'Transfers', status: 'POSTED' as const }
      const day = toDayText(context.nowMs())
      const made = cents.map((each) => addTransaction(context, owner, accountOf(owner, role), day, { ...words, cents: each }))
      context.save()
      return made
    },
    editTransaction(id, transactionId, changes) {
      const found = getOwner(id).transactions.find((each) => each.id === transactionId)
      if (!found) throw new RangeError('unknown transaction')
      Object.assign(found, changes)
      context.save()
    },
    removeTransaction(id, transactionId) {
      const owner = getOwner(id)
      owner.transactions = owner.transactions.filter((each) => each.id !== transactionId)
      context.save()
    },
    webhooksSettled: () => posting,
    close: async () => {
      await controls.close()
      await posting
    },
  }
}

async function post(url: string, body: string) {
  // Best effort: an unreachable receiver only gets the next one.
  const answer = await sendWebhook(url, body, { 'content-type': 'application/json' }).catch(() => null)
  return { url, body, status: answer?.status ?? null }
}
