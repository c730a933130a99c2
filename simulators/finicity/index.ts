import { type BankSimulator, createBankSimulator } from '../kit/bank-simulator.ts'
import { takeNumber } from '../kit/state.ts'
import type { SimulatorOptions } from '../simulator.ts'
import { answerApi } from './api/routes.ts'
import { type Context, nowSeconds } from './context.ts'
import { institutionsOf } from './data/institutions.ts'
import { FAULTS } from './faults.ts'
import { emptyState, isState, type State } from './state.ts'
import { createPost } from './webhooks.ts'
import { showConnect, submitConnect } from './window/routes.ts'

export interface FinicitySimulatorOptions extends SimulatorOptions {
  /** Number of institutions in the directory; defaults to 300. */
  institutionCount?: number
  /** Accounts of the username `giant`; defaults to 2,000. */
  giantAccounts?: number
  /** Days of history before an account was added; defaults to 180. */
  historyDays?: number
  /** The only keys that are accepted; defaults to any. Events are then signed with `sandbox-secret`. */
  keys?: { appKey: string; partnerId: string; partnerSecret: string }
}

export interface FinicitySimulator extends BankSimulator<State> {
  /** Sets the aggregation status of a login; 0 means success. */
  setStatus(loginId: number, code: number): void
  removeLogin(loginId: number): void
  editAccount(accountId: number, changes: Record<string, unknown>): void
  removeAccount(accountId: number): void
  /** Adds a transaction dated today; positive cents are money in. Returns its id. */
  enter(accountId: number, cents: number, status?: 'active' | 'pending'): number
  setEntry(id: number, status: 'active' | 'pending' | 'shadow'): void
  removeEntry(id: number): void
  /** Notifies the TxPUSH listeners of an account. */
  push(accountId: number): void
  /** Verification codes that listeners echoed. */
  verified: readonly string[]
  /** Resolves once every webhook so far was delivered or abandoned. */
  webhooksSettled(): Promise<void>
}

/** Simulator of Mastercard Open Finance US: API, Data Connect and webhooks. */
export function createFinicitySimulator(options: FinicitySimulatorOptions): FinicitySimulator {
  const directory = institutionsOf(options.seed ?? 1, options.institutionCount ?? 300)
  const post = createPost(() => options.keys?.partnerSecret ?? 'sandbox-secret')
  const kept = new Map<string, string>()
  const toContext = (bank: Context['bank']): Context => ({
    bank,
    directory,
    giantAccounts: options.giantAccounts ?? 2_000,
    historyDays: options.historyDays ?? 180,
    keys: options.keys ?? null,
    sendEvent: (url, body) => {
      if (url !== null) post.event(url, body)
    },
    verifyListener: (url) => post.verify(url),
  })
  let context: Context | null = null
  const simulator = createBankSimulator(options, {
    key: 'finicity',
    faults: FAULTS,
    isState,
    initial: emptyState,
    isData: ({ path }) => path.startsWith('/aggregation/') && /\/(accounts|transactions)$/.test(path),
    answer: (bank, call) => {
      context ??= toContext(bank)
      const [, link, form] = /^\/data-connect\/([\w-]{1,60})(?:\/([a-z]{1,20}))?$/.exec(call.path) ?? []
      if (link === undefined) return answerApi(context, call, kept)
      if (call.method === 'POST' && form !== undefined) return submitConnect(context, link, form, new URLSearchParams(call.body))
      return showConnect(context, link, call.query)
    },
  })
  const { state } = simulator
  const logins = () => Object.values(state.logins)
  const ownerOf = (accountId: number) => {
    const login = logins().find(({ accounts }) => accounts.some(({ id }) => id === accountId))
    if (!login) throw new RangeError('unknown account')
    return login
  }
  const entryOf = (id: number) => {
    const entry = logins()
      .flatMap(({ entered }) => entered)
      .find((each) => each.id === id)
    if (!entry) throw new RangeError('unknown transaction')
    return entry
  }
  return {
    ...simulator,
    verified: post.verified,
    setStatus(loginId, code) {
      const login = state.logins[String(loginId)]
      if (!login) throw new RangeError('unknown login')
      login.statusCode = code
    },
    removeLogin(loginId) {
      delete state.logins[String(loginId)]
    },
    editAccount(accountId, changes) {
      const account = ownerOf(accountId).accounts.find(({ id }) => id === accountId)
      Object.assign(account?.changes ?? {}, changes)
    },
    removeAccount(accountId) {
      const login = ownerOf(accountId)
      login.accounts = login.accounts.filter(({ id }) => id !== accountId)
    },
    enter(accountId, cents, status = 'active') {
      if (!context) throw new Error('no call has been received yet')
      const id = 900_000_000_000 + takeNumber(context.bank.state)
      const day = new Date(nowSeconds(context) * 1000).toISOString().slice(0, 10)
      ownerOf(accountId).entered.push({ id, accountId, day, cents, status, text: 'COUNTER ENTRY' })
      return id
    },
    setEntry(id, status) {
      entryOf(id).status = status
    },
    removeEntry(id) {
      const entry = entryOf(id)
      const login = ownerOf(entry.accountId)
      login.entered = login.entered.filter((each) => each.id !== id)
    },
    push(accountId) {
      const { customerId } = ownerOf(accountId)
      for (const { callbackUrl, signingKey, type } of state.subscriptions.filter((each) => each.accountId === accountId))
        post.push(callbackUrl, { event: { class: type, type: 'created', records: [{ id: accountId, accountId, customerId }] } }, signingKey)
    },
    webhooksSettled: () => post.settled(),
    close: async () => {
      await post.settled()
      await simulator.close()
    },
  }
}
