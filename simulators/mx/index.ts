import { toDayText } from '../kit/data/days.ts'
import { armedReply, type Call as FrontCall, HttpFront, type ServedControls } from '../kit/http/front.ts'
import { cutReply, DROPPED, emptyReply, htmlReply, jsonReply, paddedReply, type Reply, textReply } from '../kit/http/response.ts'
import { sendWebhook } from '../kit/http/webhook-sender.ts'
import type { Simulator, SimulatorOptions } from '../simulator.ts'
import { type Call, callApi, errorReply } from './api/routes.ts'
import { driftReply } from './api/schema-drift.ts'
import type { Context } from './context.ts'
import { setStatus, settle } from './data/aggregation.ts'
import { buildInstitutions } from './data/institutions.ts'
import { addTransaction } from './data/ledger.ts'
import { FAULTS } from './faults.ts'
import { type Account, type Member, openState } from './state.ts'
import { answerDashboard } from './window/dashboard.ts'
import { showWidget } from './window/routes.ts'

export interface MxSimulatorOptions extends SimulatorOptions {
  /** Number of institutions in the directory; defaults to 400. */
  institutionCount?: number
  /** The only pair of keys that is accepted; defaults to any. */
  keys?: { clientId: string; apiKey: string }
  /** Size of the login at the giant bank; defaults to 1,250 accounts and 2,500 transactions. */
  giant?: { accounts: number; transactions: number }
}

/** One API call with its answer, for tests; `answer` is null if a fault replaced it. */
export interface RecordedCall extends Call {
  status: number
  answer: unknown
}

export interface MxSimulator extends Simulator, ServedControls {
  calls: readonly RecordedCall[]
  /** Webhooks posted to the dashboard's address, with the response status; null if there was no response. */
  webhooks: readonly { body: string; payload: string | null; status: number | null }[]
  members(): readonly Readonly<Member>[]
  /** Sets the webhook address, as in the dashboard. */
  setWebhookUrl(url: string): void
  setStatus(memberGuid: string, status: string): void
  /** Resets a member to the state before its first aggregation. */
  forgetReading(memberGuid: string): void
  editAccount(memberGuid: string, role: string, fields: Account['fields']): void
  removeAccount(memberGuid: string, role: string): void
  addTransactions(memberGuid: string, role: string, cents: readonly number[]): string[]
  removeTransaction(memberGuid: string, guid: string): void
  /** Resolves once every webhook so far was delivered or abandoned. */
  webhooksSettled(): Promise<void>
}

const CALLS_KEPT = 2_000
const HUGE_BYTES = 48 * 1_048_576
const HTML = '<!doctype html><html><head><title>MX</title></head><body><h1>Back soon</h1></body></html>'

/** Replies of the API while a fault is armed. */
const FAILURES = {
  throttle: errorReply(429, 'too many requests', { 'retry-after': '20' }),
  throttleBare: errorReply(429, 'too many requests'),
  invalidKeys: errorReply(401, 'unauthorized'),
  forbidden: errorReply(403, 'forbidden'),
  unavailable: htmlReply(503, HTML),
  badGateway: textReply(502, 'Bad Gateway'),
  html: htmlReply(200, HTML),
  empty: emptyReply(200),
}

/** Simulator of MX: Platform API, Connect Widget, unsigned webhooks. Source: https://github.com/mxenabled/openapi (v20250224) */
export function createMxSimulator(options: MxSimulatorOptions): MxSimulator {
  const seed = options.seed ?? 1
  const store = openState(options.stateFile)
  const state = store.data
  const front = new HttpFront(options, store, FAULTS)
  const { faults, now } = front
  const calls: RecordedCall[] = []
  const webhooks: { body: string; payload: string | null; status: number | null }[] = []
  let posting = Promise.resolve()

  const context: Context = {
    seed,
    state,
    giant: options.giant ?? { accounts: 1_250, transactions: 2_500 },
    directory: buildInstitutions(seed, options.institutionCount ?? 400),
    nowMs: () => now().getTime(),
    baseUrl: options.baseUrl,
    save: () => store.save(),
    send: (body, payload = null) => {
      const url = state.webhookUrl
      if (url !== null) posting = posting.then(async () => void webhooks.push(await post(url, JSON.stringify(body), payload)))
    },
  }

  async function answer({ method, path, query, headers, body, form, response }: FrontCall): Promise<Reply> {
    const [, token] = /^\/md\/connect\/([\w-]{1,60})$/.exec(path) ?? []
    if (token !== undefined) return showWidget(context, token, form, query)
    if (path === '/dashboard/webhooks') return answerDashboard(context, form)
    if (faults.take('slow')) await front.held.hold(response)
    if (faults.take('reset')) return DROPPED
    const call: Call = { method, path, query, headers, body }
    const replaced = armedReply(faults, FAILURES)
    const reply = replaced ?? refuse(call) ?? callApi(context, call, answerFaults())
    calls.push({ ...call, status: reply.status, answer: replaced || reply.body === '' ? null : JSON.parse(reply.body) })
    if (calls.length > CALLS_KEPT) calls.shift()
    if (faults.take('huge')) return paddedReply(reply, HUGE_BYTES)
    if (faults.take('truncated')) return cutReply(reply)
    return /\/(accounts|transactions)$/.test(path) && faults.take('schemaDrift') ? driftReply(reply) : reply
  }

  function refuse({ headers }: Call): Reply | null {
    const [, encoded = ''] = /^Basic (\S+)$/.exec(String(headers.authorization ?? '')) ?? []
    const given = Buffer.from(encoded, 'base64').toString('utf8')
    const isKnown = options.keys ? given === `${options.keys.clientId}:${options.keys.apiKey}` : /^[^:]+:.+$/.test(given)
    if (!isKnown) return errorReply(401, 'unauthorized')
    return headers['accept-version'] === 'v20250224' ? null : jsonReply(400, { error: { message: 'Accept-Version is not supported' } })
  }

  function answerFaults() {
    return {
      isRevoked: faults.take('revoked'),
      isGone: faults.take('gone'),
      isRepeated: (page: number) => page > 1 && faults.take('repeatedPage'),
      isChanging: (page: number) => page > 1 && faults.take('changing'),
    }
  }

  function getMember(guid: string): Member {
    const member = state.members[guid]
    if (!member) throw new RangeError('unknown member')
    return member
  }

  function accountOf(member: Member, role: string): Account {
    const account = member.accounts.find((each) => each.role === role)
    if (!account) throw new RangeError(`unknown account "${role}"`)
    return account
  }

  const controls = front.serve(answer)
  return {
    key: 'mx',
    calls,
    webhooks,
    members: () => Object.values(state.members),
    ...controls,
    moveClock(ms) {
      controls.moveClock(ms)
      for (const member of Object.values(state.members)) settle(context, member)
      context.save()
    },
    setWebhookUrl(url) {
      state.webhookUrl = url
      context.save()
    },
    setStatus: (guid, status) => setStatus(context, getMember(guid), status),
    forgetReading(guid) {
      getMember(guid).succeededAt = null
      context.save()
    },
    editAccount(guid, role, fields) {
      const account = accountOf(getMember(guid), role)
      Object.assign(account.fields, fields)
      account.updatedAt = context.nowMs()
      context.save()
    },
    removeAccount(guid, role) {
      const member = getMember(guid)
      member.accounts.splice(member.accounts.indexOf(accountOf(member, role)), 1)
      context.save()
    },
    addTransactions(guid, role, cents) {
      const member = getMember(guid)
      const account = accountOf(member, role)
      const words = { isCredit: true, words: 'COUNTER ENTRY', merchant: 'Counter', category: 'Transfer' }
      const day = toDayText(context.nowMs())
      const made = cents.map((each) =>
        addTransaction(context, member, account.guid, day, { ...words, cents: each }, false, context.nowMs()),
      )
      context.save()
      return made
    },
    removeTransaction(guid, transactionGuid) {
      const member = getMember(guid)
      member.transactions = member.transactions.filter((each) => each.guid !== transactionGuid)
      context.save()
    },
    webhooksSettled: () => posting,
    close: async () => {
      await controls.close()
      await posting
    },
  }
}

async function post(url: string, body: string, payload: string | null) {
  const headers = { 'content-type': 'application/json', ...(payload === null ? {} : { 'x-callback-payload': payload }) }
  // Best effort: an unreachable receiver only gets the next one.
  const answer = await sendWebhook(url, body, headers).catch(() => null)
  return { body, payload, status: answer?.status ?? null }
}
