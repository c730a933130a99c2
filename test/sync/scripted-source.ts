import { Type } from 'typebox'
import {
  type Connector,
  type ConnectorDescription,
  type Credentials,
  type Page,
  SourceError,
  type SourceItem,
} from '../../src/connectors/contract/contract.ts'
import { mapping } from '../../src/connectors/contract/mapping.ts'
import type { AccountingAccount } from '../../src/model/records/accounting-account.ts'
import type { BankAccount } from '../../src/model/records/bank-account.ts'
import { toDecimal } from '../../src/model/values/decimal.ts'
import { type Json, parseJson } from '../../src/model/values/json.ts'
import { PLAIN_BANK_ACCOUNT } from '../harness/app/plain-bank-account.ts'

/** A record as the scripted source lists it. */
export interface ScriptedAccount {
  id: string
  /** Listed without its id. */
  isNameless?: boolean
  name: unknown
  balance?: string
  version?: string
  /** Listed as removed. */
  isRemoved?: boolean
}

/** A source whose books and faults are scripted by a test; it replaces an outside source, not our code. */
export class ScriptedSource {
  accounts: ScriptedAccount[] = []
  pageSize = 1_000
  listing: Page['listing'] = 'complete'
  /** Thrown by the next fetches, in order; null lets one through. */
  faults: (Error | null)[] = []
  /** Always thrown by the fetch with this cursor. */
  lastingFault: { cursor: Json; error: Error } | null = null
  /** Token that the source accepts; refreshing issues the next one. */
  validToken = 'token-1'
  refreshes = 0
  fetches: Json[] = []
  /** Bytes returned instead of the next page. */
  garbage: string | null = null
  disconnects = 0
  /** Thrown by the revocation. */
  disconnectFault: Error | null = null
  beforeFetch: (() => Promise<void>) | null = null
  readonly description: ConnectorDescription
  readonly #category: 'Accounting' | 'Banking'

  constructor(key = 'scripted', category: 'Accounting' | 'Banking' = 'Accounting') {
    this.#category = category
    this.description = {
      key,
      name: 'Scripted Books',
      title: 'Scripted Books',
      description: { 'en-CA': 'For tests', 'fr-CA': 'Pour les tests' },
      category,
      route: 'app',
      entities: ['Accounts'],
      link: 'form',
      appKeys: [],
      hosts: {},
      refreshHours: 24,
      load: async () => this.connector,
    }
  }

  get connector(): Connector {
    return {
      authorize: {
        step: 'form',
        fields: [],
        submit: async () => ({ credentials: this.credentials(), entity: { id: 'books-1', name: 'The Books' } }),
      },
      refreshCredentials: async () => {
        this.refreshes += 1
        this.validToken = `token-${this.refreshes + 1}`
        return this.credentials()
      },
      pulls: [
        {
          name: 'accounts',
          delivers: ['Accounts'],
          fetch: async (session, cursor) => await this.#fetch(session.credentials, cursor),
          read,
        },
      ],
      entities: { Accounts: { wire: WIRE, map: this.#category === 'Accounting' ? accountingMap : bankMap } },
      disconnect: async () => {
        if (this.disconnectFault) throw this.disconnectFault
        this.disconnects += 1
      },
    }
  }

  credentials(): Credentials {
    return { secret: { token: this.validToken }, expiresAt: null }
  }

  async #fetch(credentials: Credentials, cursor: Json | null): Promise<Page> {
    await this.beforeFetch?.()
    this.fetches.push(cursor)
    if (this.lastingFault !== null && this.lastingFault.cursor === cursor) throw this.lastingFault.error
    const fault = this.faults.shift()
    if (fault) throw fault
    if ((credentials.secret as { token: string }).token !== this.validToken) throw new SourceError('reconnect', 'the token is refused')
    const start = typeof cursor === 'number' ? cursor : 0
    const end = start + this.pageSize
    const body = this.garbage ?? JSON.stringify(this.accounts.slice(start, end))
    this.garbage = null
    return { answers: { list: Buffer.from(body) }, next: end < this.accounts.length ? end : null, listing: this.listing }
  }
}

const WIRE = Type.Object({ id: Type.String(), name: Type.String(), balance: Type.Optional(Type.String()) })
type Wire = { id: string; name: string; balance?: string }

function* read(answers: Record<string, Uint8Array>): Generator<SourceItem> {
  let list: ScriptedAccount[]
  try {
    // Through the parser of all connectors.
    list = JSON.parse(JSON.stringify(parseJson(Buffer.from(answers.list ?? '').toString('utf8'))))
  } catch (cause) {
    throw new SourceError('badData', 'not JSON', { cause })
  }
  for (const account of list) {
    if (account.isNameless) yield { entity: 'Accounts', origId: null, unreadable: 'no id' }
    else if (account.isRemoved) yield { entity: 'Accounts', origId: account.id, removed: true }
    else
      yield {
        entity: 'Accounts',
        origId: account.id,
        wire: account,
        ...(account.version === undefined ? {} : { version: account.version }),
      }
  }
}

const accountingMap = mapping<Wire, AccountingAccount>(1, {
  origId: (a) => a.id,
  number: (a) => a.id,
  name: (a) => a.name,
  currency: () => 'CAD',
  description: () => '',
  classApp: () => 'Asset',
  classSystem: () => 'ASSET',
  typeApp: () => 'Bank',
  typeSystem: (a, context) => {
    if (a.name.startsWith('odd')) context.unmapped('typeSystem', a.name)
    return 'BANK'
  },
  subTypeApp: () => '',
  subTypeSystem: () => '',
  statusApp: () => 'true',
  statusSystem: () => 'ACTIVE',
})

const bankMap = mapping<Wire, BankAccount>(1, {
  ...PLAIN_BANK_ACCOUNT,
  origId: (a) => a.id,
  providerName: () => 'Scripted Bank',
  accountName: (a) => a.name,
  actualBalance: (a) => toDecimal(a.balance ?? null),
})
