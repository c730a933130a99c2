import { type Connector, type ConnectorDescription, type Page, SourceError, type SourceItem } from '../../src/connectors/contract.ts'
import type { Json } from '../../src/model/json.ts'
import { listAccounts } from './accounts.ts'
import { toBankAccount, wireAccount } from './mapping.ts'

const PAGE_SIZE = 1_000

/** The source of the bench: a bank whose customers have so many accounts each. What its network takes is counted apart. */
export interface Bank {
  description: ConnectorDescription
  accountsPerCustomer: number
  /** What fetching has taken since the bank was opened, in milliseconds. */
  fetchedMs(): number
}

export function openBank(accountsPerCustomer: number): Bank {
  let fetchedMs = 0
  const fetch = async (customer: string, cursor: Json | null): Promise<Page> => {
    const startedMs = performance.now()
    const start = typeof cursor === 'number' ? cursor : 0
    const end = start + PAGE_SIZE
    const answers = { list: Buffer.from(JSON.stringify(listAccounts(customer, start, Math.min(end, accountsPerCustomer)))) }
    fetchedMs += performance.now() - startedMs
    return { answers, next: end < accountsPerCustomer ? end : null, listing: 'complete' }
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
    pulls: [{ name: 'accounts', delivers: ['Accounts'], fetch: (session, cursor) => fetch(session.entityId, cursor), read }],
    entities: { Accounts: { wire: wireAccount, map: toBankAccount } },
  }
  return { description: describe(connector), accountsPerCustomer, fetchedMs: () => fetchedMs }
}

function* read(answers: Record<string, Uint8Array>): Generator<SourceItem> {
  const list: unknown = JSON.parse(Buffer.from(answers.list ?? '').toString('utf8'))
  if (!Array.isArray(list)) throw new SourceError('badData', 'the list is no list')
  for (const account of list) yield { entity: 'Accounts', origId: String(account.uid), wire: account }
}

function describe(connector: Connector): ConnectorDescription {
  return {
    key: 'bench-bank',
    name: 'Caisse du Plateau',
    title: 'Caisse du Plateau',
    description: { 'en-CA': 'For the bench', 'fr-CA': 'Pour le banc d’essai' },
    category: 'Banking',
    route: 'app',
    entities: ['Accounts'],
    link: 'form',
    appKeys: [],
    hosts: {},
    refreshHours: 24,
    load: async () => connector,
  }
}
