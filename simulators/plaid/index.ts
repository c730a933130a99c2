import { toDayText } from '../kit/data/days.ts'
import { buildDirectory } from '../kit/data/institutions.ts'
import { type Call, HttpFront, type ServedControls } from '../kit/http/front.ts'
import { type Fields, isFields, parsed } from '../kit/http/json-body.ts'
import { cutReply, DROPPED, type Reply, sendWith } from '../kit/http/response.ts'
import { hashId } from '../kit/random.ts'
import type { Simulator, SimulatorOptions } from '../simulator.ts'
import { invalidField, PlaidFailure } from './api/failures.ts'
import { type ApiKeys, checkKeys, OPERATIONS } from './api/routes.ts'
import { drift } from './api/schema-drift.ts'
import { isMidPagination } from './api/sync.ts'
import type { Context } from './context.ts'
import { breakItem, webhookBody, webhookTypeOf } from './data/items.ts'
import { addTransaction, advanceItem, removeTransaction, touchTransaction } from './data/ledger.ts'
import { FAULTS, type FaultEffect, takeEffect } from './faults.ts'
import { type Account, type Item, openState, type Transaction } from './state.ts'
import { createWebhookSender, type SentWebhook } from './webhooks.ts'
import { showHostedPage, submitHostedForm } from './window/routes.ts'

export interface PlaidSimulatorOptions extends SimulatorOptions {
  /** Number of institutions in the directory; defaults to 400. */
  institutionCount?: number
  /** The only pair of keys that is accepted; defaults to any. */
  keys?: ApiKeys
}

/** One API request with its answer, for tests. */
interface RecordedRequest {
  path: string
  headers: Readonly<Record<string, string | string[] | undefined>>
  body: unknown
  status: number
  /** The operation's answer; null if a fault replaced it. */
  answer: Fields | null
}

export interface PlaidSimulator extends Simulator, ServedControls {
  requests: readonly RecordedRequest[]
  webhooks: readonly SentWebhook[]
  items(): readonly Readonly<Item>[]
  /** Sends a webhook about an item; resolves once it was delivered or abandoned. */
  fireWebhook(itemId: string, code: string): Promise<void>
  editAccount(itemId: string, accountId: string, changes: Partial<Omit<Account, 'accountId' | 'role'>>): void
  removeAccount(itemId: string, accountId: string): void
  /** Makes the bank require a new login: data calls fail until update mode repairs it. */
  resetLogin(itemId: string): void
  /** Withdraws the consent at the bank, as the owner can. */
  revoke(itemId: string): void
  /** Books transactions dated today on an account; positive cents are money out. Returns their ids. */
  addTransactions(itemId: string, accountId: string, cents: readonly number[]): string[]
  editTransaction(itemId: string, transactionId: string, changes: Partial<Pick<Transaction, 'name' | 'cents' | 'day'>>): void
  removeTransaction(itemId: string, transactionId: string): void
  /** Resolves once every webhook so far was delivered or abandoned. */
  webhooksSettled(): Promise<void>
}

const REQUESTS_KEPT = 2_000
/** Far larger than any real answer. */
const HUGE_BYTES = 48 * 1_048_576

const send = sendWith(({ type }) => ({ ...(type === '' ? {} : { 'content-type': type }), 'cache-control': 'no-store' }))

/** Simulator of Plaid: API, hosted Link and signed webhooks. Source: https://github.com/plaid/plaid-openapi (2020-09-14) */
export function createPlaidSimulator(options: PlaidSimulatorOptions): PlaidSimulator {
  const seed = options.seed ?? 1
  const store = openState(options.stateFile)
  const state = store.data
  const save = (): void => store.save()
  const wallClock = options.now ?? (() => new Date())
  const directory = buildDirectory(seed, options.institutionCount ?? 400)
  const byId = new Map(directory.map((institution) => [institution.id, institution]))
  const front = new HttpFront(options, store, FAULTS)
  const { faults, now } = front
  // Signed with the receiver's clock: moving the simulator's clock must not make its signatures look stale.
  const sender = createWebhookSender(state, save, wallClock)
  const requests: RecordedRequest[] = []
  let requestCount = 0

  const context: Context = {
    seed,
    state,
    directory,
    nowMs: () => now().getTime(),
    baseUrl: options.baseUrl,
    institution: (id) => byId.get(id) ?? null,
    save,
    send: (target, body) => {
      if (target !== null) sender.send(target, body)
    },
  }

  async function answerApi({ headers, body: text, response }: Call, path: string): Promise<Reply> {
    const requestId = hashId(15, 'request', requestCount++)
    const body = parsed(text)
    const effect = takeEffect(faults, path, isFields(body) && isMidPagination(body))
    let status = 200
    let answer: Fields
    try {
      if (effect?.kind === 'failure') throw effect.failure
      if (!isFields(body)) throw invalidField('body must be a JSON object')
      checkKeys(headers, body, options.keys)
      const operation = OPERATIONS[path]
      if (!operation) throw new PlaidFailure(404, 'INVALID_REQUEST', 'NOT_FOUND', 'requested route cannot be found')
      answer = { ...operation(context, body), request_id: requestId }
    } catch (error) {
      if (!(error instanceof PlaidFailure)) throw error
      status = error.status
      answer = error.toBody(requestId)
    }
    const replaced = effect !== null && effect.kind !== 'failure'
    requests.push({ path, headers, body, status, answer: replaced ? null : answer })
    if (requests.length > REQUESTS_KEPT) requests.shift()
    if (status === 200 && effect?.kind === 'slow') await front.held.hold(response)
    return status === 200 && effect ? brokenReply(path, answer, effect) : jsonReply(status, answer)
  }

  async function answer(call: Call): Promise<Reply> {
    const [, page, step] = /^\/hosted\/([\w-]{1,60})(?:\/([a-z]{1,20}))?$/.exec(call.path) ?? []
    if (page === undefined) return await answerApi(call, call.form ? call.path : '')
    if (call.form === null || step === undefined) return showHostedPage(context, page, call.query)
    return submitHostedForm(context, page, step, call.form)
  }

  function getItem(itemId: string): Item {
    const item = state.items[itemId]
    if (!item) throw new RangeError('unknown item')
    return item
  }

  function getAccount(item: Item, accountId: string): Account {
    const account = item.accounts.find((candidate) => candidate.accountId === accountId)
    if (!account) throw new RangeError('unknown account')
    return account
  }

  function getTransaction(item: Item, id: string): Transaction {
    const found = item.transactions.find((candidate) => candidate.id === id)
    if (!found) throw new RangeError('unknown transaction')
    return found
  }

  function changed(item: Item): void {
    item.updatedAt = context.nowMs()
    save()
    if (item.synced && !item.removed) context.send(item.webhook, webhookBody(item, 'TRANSACTIONS', 'SYNC_UPDATES_AVAILABLE'))
  }

  const controls = front.serve(answer, send)
  return {
    key: 'plaid',
    requests,
    webhooks: sender.sent,
    items: () => Object.values(state.items),
    ...controls,
    moveClock(ms) {
      controls.moveClock(ms)
      for (const item of Object.values(state.items)) {
        if (!item.removed && item.error === null && advanceItem(item, seed, context.nowMs())) changed(item)
      }
    },
    async fireWebhook(itemId, code) {
      const item = getItem(itemId)
      context.send(item.webhook, webhookBody(item, webhookTypeOf(code), code))
      await sender.settled()
    },
    editAccount(itemId, accountId, changes) {
      const item = getItem(itemId)
      Object.assign(getAccount(item, accountId), changes)
      changed(item)
    },
    removeAccount(itemId, accountId) {
      const item = getItem(itemId)
      item.accounts.splice(item.accounts.indexOf(getAccount(item, accountId)), 1)
      changed(item)
    },
    resetLogin: (itemId) => breakItem(context, getItem(itemId), 'ITEM_LOGIN_REQUIRED'),
    revoke: (itemId) => breakItem(context, getItem(itemId), 'USER_PERMISSION_REVOKED'),
    addTransactions(itemId, accountId, cents) {
      const item = getItem(itemId)
      const account = getAccount(item, accountId)
      const ids = cents.map((amount) => {
        const id = hashId(37, seed, 'added', item.number, item.sequence)
        const words = { name: 'COUNTER ENTRY', merchant: null, primary: 'OTHER', detailed: 'OTHER_OTHER', channel: 'other' as const }
        const day = toDayText(context.nowMs())
        addTransaction(item, account, { id, accountId, day, authorizedDay: null, cents: amount, ...words, pending: false, pendingId: null })
        return id
      })
      changed(item)
      return ids
    },
    editTransaction(itemId, transactionId, changes) {
      const item = getItem(itemId)
      const entry = getTransaction(item, transactionId)
      Object.assign(entry, changes)
      touchTransaction(item, entry)
      changed(item)
    },
    removeTransaction(itemId, transactionId) {
      const item = getItem(itemId)
      removeTransaction(item, getTransaction(item, transactionId))
      changed(item)
    },
    webhooksSettled: () => sender.settled(),
    close: async () => {
      await controls.close()
      await sender.close()
    },
  }
}

function jsonReply(status: number, body: Fields): Reply {
  return { status, type: 'application/json', body: JSON.stringify(body) }
}

function brokenReply(path: string, answer: Fields, effect: FaultEffect): Reply {
  const reply = jsonReply(200, answer)
  if (effect.kind === 'body') return { status: effect.status, type: effect.type, body: effect.text }
  if (effect.kind === 'truncated') return cutReply(reply)
  if (effect.kind === 'reset') return DROPPED
  if (effect.kind === 'huge') return { ...reply, body: '{}', paddingBytes: HUGE_BYTES }
  if (effect.kind === 'drift') return jsonReply(200, drift(path, answer))
  return effect.kind === 'notReady' ? jsonReply(200, toNotReady(answer)) : reply
}

/** Reply of /transactions/sync before the first fetch from the bank is done. */
function toNotReady(answer: Fields): Fields {
  const nothing = { added: [], modified: [], removed: [], next_cursor: '', has_more: false }
  return { ...answer, ...nothing, transactions_update_status: 'NOT_READY' }
}
