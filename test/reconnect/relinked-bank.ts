import { Type } from 'typebox'
import {
  type Connector,
  type ConnectorDescription,
  type Grant,
  type Page,
  type Session,
  SourceError,
  type SourceItem,
} from '../../src/connectors/contract/contract.ts'
import { mapping } from '../../src/connectors/contract/mapping.ts'
import type { Fingerprint } from '../../src/connectors/contract/reidentification.ts'
import type { BankAccount } from '../../src/model/records/bank-account.ts'
import type { BankTransaction } from '../../src/model/records/bank-transaction.ts'
import { type Decimal, toDecimal } from '../../src/model/values/decimal.ts'
import { parseDay } from '../../src/model/values/timestamps.ts'
import { PLAIN_BANK_ACCOUNT } from '../harness/app/plain-bank-account.ts'

/** An account as the bank's aggregator lists it under one login. */
export interface ListedAccount {
  id: string
  persistentId: string | null
  mask: string | null
  kind: string
  name: string
  officialName: string | null
  currency: string
  balance: string
}

export interface ListedMovement {
  id: string
  accountId: string
  day: string
  amount: string
  description: string
  pending: boolean
  /** The bank's own category, which no aggregator changes. */
  category?: string
}

/** What one login at the aggregator shows: a relink creates another, with new ids. */
export interface Login {
  entity: Grant['entity']
  /** The aggregator's id of it. */
  reference: string
  accounts: ListedAccount[]
  /** Changes so far, in order; a cursor is an index into them. */
  changes: ({ change: 'set'; movement: ListedMovement } | { change: 'removed'; id: string })[]
}

/** A bank behind an aggregator, with owners and logins scripted by a test; replaces an outside source. */
export class RelinkedBank {
  /** Logins by their reference; a token is valid while its login exists. */
  readonly logins = new Map<string, Login>()
  /** The login that the next authorization returns. */
  chosen = ''
  /** Thrown by the next fetches. */
  faults: Error[] = []
  pageSize = 50
  /** Set for a source that lists transactions before accounts. */
  accountsLast = false
  readonly description: ConnectorDescription

  constructor(key = 'relinked-bank') {
    this.description = {
      key,
      name: 'Relinked Bank',
      title: 'Relinked Bank',
      description: { 'en-CA': 'For tests', 'fr-CA': 'Pour les tests' },
      category: 'Banking',
      route: 'aggregator',
      entities: ['Accounts', 'Transactions'],
      link: 'form',
      appKeys: [],
      hosts: {},
      refreshHours: 24,
      load: async () => this.connector,
    }
  }

  get connector(): Connector {
    const accounts = { name: 'accounts', delivers: ['Accounts'], fetch: this.#fetchAccounts, read: readAccounts } as const
    const movements = { name: 'movements', delivers: ['Transactions'], fetch: this.#fetchMovements, read: readMovements } as const
    return {
      authorize: {
        step: 'form',
        fields: [],
        submit: async () => {
          const login = this.#login(this.chosen)
          const { reference, entity } = login
          return { credentials: { secret: { token: reference }, expiresAt: null }, entity, reference }
        },
      },
      pulls: this.accountsLast ? [movements, accounts] : [accounts, movements],
      entities: { Accounts: { wire: ACCOUNT, map: accountMap }, Transactions: { wire: MOVEMENT, map: movementMap } },
      reidentify: { account: toFingerprint, renumbersTransactions: true },
    }
  }

  #login(reference: string): Login {
    const login = this.logins.get(reference)
    if (!login) throw new SourceError('reconnect', 'the login is gone')
    return login
  }

  #open(session: Session): Login {
    const fault = this.faults.shift()
    if (fault) throw fault
    return this.#login((session.credentials.secret as { token: string }).token)
  }

  readonly #fetchAccounts = async (session: Session): Promise<Page> => {
    return { answers: { list: Buffer.from(JSON.stringify(this.#open(session).accounts)) }, next: null, listing: 'complete' }
  }

  readonly #fetchMovements = async (session: Session, cursor: unknown): Promise<Page> => {
    const { changes } = this.#open(session)
    const start = typeof cursor === 'number' ? cursor : 0
    const end = Math.min(start + this.pageSize, changes.length)
    const answers = { changes: Buffer.from(JSON.stringify(changes.slice(start, end))) }
    return { answers, next: end < changes.length ? end : null, resume: end, listing: 'changes' }
  }
}

function toFingerprint({ persistentId, mask, kind, currency, officialName, name }: ListedAccount): Fingerprint {
  if (mask === null) return { persistentId, descriptions: [] }
  const told = [mask, kind, currency]
  return { persistentId, descriptions: [[...told, officialName ?? name], told].map((words) => JSON.stringify(words)) }
}

function* readAccounts(answers: Record<string, Uint8Array>): Generator<SourceItem> {
  const list: ListedAccount[] = JSON.parse(Buffer.from(answers.list ?? '').toString('utf8'))
  for (const account of list) yield { entity: 'Accounts', origId: account.id, wire: account }
}

function* readMovements(answers: Record<string, Uint8Array>): Generator<SourceItem> {
  const list: Login['changes'] = JSON.parse(Buffer.from(answers.changes ?? '').toString('utf8'))
  for (const one of list) {
    if (one.change === 'removed') yield { entity: 'Transactions', origId: one.id, removed: true }
    else yield { entity: 'Transactions', origId: one.movement.id, wire: one.movement }
  }
}

const ACCOUNT = Type.Object({ id: Type.String(), name: Type.String(), mask: Type.Union([Type.String(), Type.Null()]) })
const MOVEMENT = Type.Object({ id: Type.String(), accountId: Type.String(), amount: Type.String() })

const accountMap = mapping<ListedAccount, BankAccount>(1, {
  ...PLAIN_BANK_ACCOUNT,
  origId: (a) => a.id,
  providerName: () => 'Relinked Bank',
  accountName: (a) => a.officialName ?? a.name,
  accountNumber: (a) => (a.mask === null ? '' : `••••${a.mask}`),
  kind: (a) => (a.kind === 'savings' ? { type: 'Cash', subType: 'Savings' } : { type: 'Cash', subType: 'Checking' }),
  currency: (a) => a.currency,
  actualBalance: (a) => toDecimal(a.balance),
})

const movementMap = mapping<ListedMovement, BankTransaction>(1, {
  origId: (m) => m.id,
  accountOrigId: (m) => m.accountId,
  postedOn: (m) => (m.pending ? null : parseDay(m.day)),
  transactionOn: (m) => (m.pending ? parseDay(m.day) : null),
  amount: (m) => requireAmount(m.amount),
  currency: () => 'CAD',
  description: (m) => m.description,
  counterparty: () => '',
  category: (m) => m.category ?? '',
  isPending: (m) => m.pending,
  runningBalance: () => null,
})

function requireAmount(text: string): Decimal {
  const amount = toDecimal(text)
  if (amount === null) throw new RangeError('no amount')
  return amount
}
