import { type BankSimulator, createBankSimulator } from '../kit/bank-simulator.ts'
import { hmacBase64, sendWebhook } from '../kit/http/webhook-sender.ts'
import { takeNumber } from '../kit/state.ts'
import type { SimulatorOptions } from '../simulator.ts'
import { answerApi } from './api/routes.ts'
import { webhookBody } from './api/sessions.ts'
import { type Context, nowMs } from './context.ts'
import { toGuid } from './data/accounts.ts'
import { institutionsOf } from './data/institutions.ts'
import { FAULTS } from './faults.ts'
import { emptyState, isState, type Login, type State } from './state.ts'
import { answerConnect } from './window/routes.ts'

export interface FlinksSimulatorOptions extends SimulatorOptions {
  /** Number of institutions in the directory; defaults to 249. */
  institutionCount?: number
  /** Accounts of the username `giant`; defaults to 500. */
  giantAccounts?: number
  /** Maximum days of history at the banks; defaults to 365. */
  historyDays?: number
  /** The only keys that are accepted; defaults to any. */
  keys?: { customerId: string; secretKey: string }
}

export interface FlinksSimulator extends BankSimulator<State> {
  /** Error of the bank when it is read; null for none. */
  setTrouble(loginId: string, trouble: Login['trouble']): void
  editAccount(accountId: string, changes: Record<string, unknown>): void
  removeAccount(accountId: string): void
  /** Adds a transaction dated today; positive cents are money in. Returns its Id. */
  enter(accountId: string, cents: number): string
  removeEntry(id: string): void
  /** Sends a webhook about a login, under either of the header's two names. */
  sendWebhook(
    url: string,
    loginId: string,
    type: string,
    key: string,
    header?: 'flinks-authenticity-key' | 'x-flinks-signature',
  ): Promise<number>
}

/** Simulator of Flinks: API, Flinks Connect and webhooks. */
export function createFlinksSimulator(options: FlinksSimulatorOptions): FlinksSimulator {
  const directory = institutionsOf(options.seed ?? 1, options.institutionCount ?? 249)
  let context: Context | null = null
  const simulator = createBankSimulator(options, {
    key: 'flinks',
    faults: FAULTS,
    isState,
    initial: emptyState,
    isData: ({ path }) => /\/(Authorize|GetAccounts\w+)(\/[\w-]+)?$/.test(path),
    answer: (bank, call) => {
      context ??= {
        bank,
        directory,
        giantAccounts: options.giantAccounts ?? 500,
        historyDays: options.historyDays ?? 365,
        keys: options.keys ?? null,
      }
      return call.path.startsWith('/v2/') ? answerConnect(context, call) : answerApi(context, call)
    },
  })
  const { state } = simulator
  const loginWith = (test: (login: Login) => boolean): Login => {
    const login = Object.values(state.logins).find(test)
    if (!login) throw new RangeError('unknown login')
    return login
  }
  const ownerOf = (accountId: string) => loginWith(({ accounts }) => accounts.some(({ id }) => id === accountId))
  const theContext = (): Context => {
    if (!context) throw new Error('no call has been received yet')
    return context
  }
  return {
    ...simulator,
    setTrouble(loginId, trouble) {
      loginWith(({ id }) => id === loginId).trouble = trouble
    },
    editAccount(accountId, changes) {
      const account = ownerOf(accountId).accounts.find(({ id }) => id === accountId)
      Object.assign(account?.changes ?? {}, changes)
    },
    removeAccount(accountId) {
      const login = ownerOf(accountId)
      login.accounts = login.accounts.filter(({ id }) => id !== accountId)
    },
    enter(accountId, cents) {
      const id = toGuid('flinks-entered', takeNumber(theContext().bank.state))
      const day = new Date(nowMs(theContext())).toISOString().slice(0, 10)
      ownerOf(accountId).entered.push({ id, accountId, day, cents, text: 'ÉCRITURE AU COMPTOIR' })
      return id
    },
    removeEntry(entryId) {
      const login = loginWith(({ entered }) => entered.some(({ id }) => id === entryId))
      login.entered = login.entered.filter(({ id }) => id !== entryId)
    },
    async sendWebhook(url, loginId, type, key, header = 'flinks-authenticity-key') {
      const login = loginWith(({ id }) => id === loginId)
      const body = JSON.stringify(webhookBody(theContext(), login, type))
      return (await sendWebhook(url, body, { 'content-type': 'application/json', [header]: hmacBase64(body, key) })).status
    },
  }
}
