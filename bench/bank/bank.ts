import {
  type Connector,
  type ConnectorDescription,
  type Page,
  SourceError,
  type SourceItem,
} from '../../src/connectors/contract/contract.ts'
import type { Json } from '../../src/model/values/json.ts'
import { listAccounts } from './accounts.ts'
import { toBankAccount, wireAccount } from './mapping.ts'
import { listMovements, toBankTransaction, wireMovement } from './movements.ts'

const PAGE_SIZE = 1_000

/**
 * The source of the benchmarks: a bank whose customers have a given number of accounts. Time spent in its network is
 * counted separately.
 */
export interface Bank {
  description: ConnectorDescription
  accountsPerCustomer: number
  /** Milliseconds spent fetching since the bank was opened. */
  fetchedMs(): number
}

/** `movements` is the number of transactions per customer, over all accounts. */
export function openBank(accountsPerCustomer: number, movements = 0): Bank {
  let fetchedMs = 0
  const fetch = async (customer: string, cursor: Json | null): Promise<Page> => {
    const startedMs = performance.now()
    const start = typeof cursor === 'number' ? cursor : 0
    const end = start + PAGE_SIZE
    const answers = { list: Buffer.from(JSON.stringify(listAccounts(customer, start, Math.min(end, accountsPerCustomer)))) }
    fetchedMs += performance.now() - startedMs
    return { answers, next: end < accountsPerCustomer ? end : null, listing: 'complete' }
  }
  const fetchMovements = async (cursor: Json | null): Promise<Page> => {
    const startedMs = performance.now()
    const start = typeof cursor === 'number' ? cursor : 0
    const end = Math.min(start + PAGE_SIZE, movements)
    const answers = { list: Buffer.from(JSON.stringify(listMovements(start, end, Math.max(1, accountsPerCustomer)))) }
    fetchedMs += performance.now() - startedMs
    return { answers, next: end < movements ? end : null, listing: 'complete' }
  }
  const connector: Connector = {
    authorize: {
      step: 'form',
      fields: [{ name: 'customer', type: 'text', label: { en: 'Customer', 'fr-CA': 'Client' }, required: true }],
      submit: async (_kit, { customer = '' }) => ({
        credentials: { secret: null, expiresAt: null },
        entity: { id: customer, name: customer },
      }),
    },
    pulls: [
      { name: 'accounts', delivers: ['Accounts'], fetch: (session, cursor) => fetch(session.entityId, cursor), read: readAccounts },
      ...(movements > 0
        ? [
            {
              name: 'movements',
              delivers: ['Transactions'] as const,
              fetch: (_: unknown, cursor: Json | null) => fetchMovements(cursor),
              read: readMovements,
            },
          ]
        : []),
    ],
    entities: {
      Accounts: { wire: wireAccount, map: toBankAccount },
      ...(movements > 0 ? { Transactions: { wire: wireMovement, map: toBankTransaction } } : {}),
    },
  }
  return { description: describe(connector), accountsPerCustomer, fetchedMs: () => fetchedMs }
}

function* readAccounts(answers: Record<string, Uint8Array>): Generator<SourceItem> {
  for (const account of toList(answers)) yield { entity: 'Accounts', origId: String(account.uid), wire: account }
}

function* readMovements(answers: Record<string, Uint8Array>): Generator<SourceItem> {
  for (const movement of toList(answers)) yield { entity: 'Transactions', origId: String(movement.id), wire: movement }
}

function toList(answers: Record<string, Uint8Array>): { uid?: unknown; id?: unknown }[] {
  const list: unknown = JSON.parse(Buffer.from(answers.list ?? '').toString('utf8'))
  if (!Array.isArray(list)) throw new SourceError('badData', 'the response is not a list')
  return list
}

function describe(connector: Connector): ConnectorDescription {
  return {
    key: 'bench-bank',
    name: 'Caisse du Plateau',
    title: 'Caisse du Plateau',
    description: { 'en-CA': 'For the bench', 'fr-CA': 'Pour le banc d’essai' },
    category: 'Banking',
    route: 'app',
    entities: ['Accounts', 'Transactions'],
    link: 'form',
    appKeys: [],
    hosts: {},
    refreshHours: 24,
    load: async () => connector,
  }
}
