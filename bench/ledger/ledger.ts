import { Type } from 'typebox'
import {
  type Connector,
  type ConnectorDescription,
  type Page,
  SourceError,
  type SourceItem,
} from '../../src/connectors/contract/contract.ts'
import { mapping } from '../../src/connectors/contract/mapping.ts'
import type { AccountingAccount } from '../../src/model/records/accounting-account.ts'
import type { AccountingTransaction } from '../../src/model/records/accounting-transaction.ts'
import { toDecimal } from '../../src/model/values/decimal.ts'
import type { Json } from '../../src/model/values/json.ts'
import { parseDay } from '../../src/model/values/timestamps.ts'
import type { Bank } from '../bank/bank.ts'

const PAGE_SIZE = 1_000
const text = Type.String()
const wireLine = Type.Object({
  id: text,
  entry: text,
  account: text,
  day: text,
  memo: text,
  payee: text,
  amount: text,
  isDebit: Type.Boolean(),
})

interface Line {
  id: string
  entry: string
  account: string
  day: string
  memo: string
  payee: string
  amount: string
  isDebit: boolean
}

/** A ledger with `lines` journal entry lines, generated on request. */
export function openLedger(lines: number): Bank {
  let fetchedMs = 0
  const fetch = async (cursor: Json | null): Promise<Page> => {
    const startedMs = performance.now()
    const start = typeof cursor === 'number' ? cursor : 0
    const end = Math.min(start + PAGE_SIZE, lines)
    const body = JSON.stringify(Array.from({ length: end - start }, (_, index) => toLine(start + index)))
    const answers = { lines: Buffer.from(body) }
    fetchedMs += performance.now() - startedMs
    return { answers, next: end < lines ? end : null, listing: 'complete' }
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
    pulls: [{ name: 'lines', delivers: ['Transactions'], fetch: (_session, cursor) => fetch(cursor), read }],
    entities: { Accounts: { wire: wireLine, map: toAccount }, Transactions: { wire: wireLine, map: toTransaction } },
  }
  return { description: describe(connector), accountsPerCustomer: 0, fetchedMs: () => fetchedMs }
}

function toLine(index: number): Line {
  const seed = (index * 7_919) % 1_000_003
  return {
    id: `line-${String(index).padStart(8, '0')}`,
    entry: `entry-${String(index >> 1).padStart(8, '0')}`,
    account: `account-${seed % 120}`,
    day: `20${String(10 + (seed % 16))}-${String((seed % 12) + 1).padStart(2, '0')}-${String((seed % 28) + 1).padStart(2, '0')}`,
    memo: `Farine et levure, livraison ${seed}`,
    payee: `Fournisseur ${seed % 997}`,
    amount: `${(seed % 90_000) + 1}.${String((seed % 89) + 11)}`,
    isDebit: index % 2 === 0,
  }
}

function* read(answers: Record<string, Uint8Array>): Generator<SourceItem> {
  const list: unknown = JSON.parse(Buffer.from(answers.lines ?? '').toString('utf8'))
  if (!Array.isArray(list)) throw new SourceError('badData', 'the response is not a list')
  for (const line of list) yield { entity: 'Transactions', origId: String(line.id), wire: line }
}

const toTransaction = mapping<Line, AccountingTransaction>(1, {
  origId: (l) => l.id,
  entryId: (l) => l.entry,
  accountOrigId: (l) => l.account,
  postedOn: (l) => parseDay(l.day),
  document: (l) => l.entry,
  description: (l) => l.memo,
  counterparty: (l) => l.payee,
  debit: (l) => (l.isDebit ? toDecimal(l.amount) : null),
  credit: (l) => (l.isDebit ? null : toDecimal(l.amount)),
  currency: () => 'CAD',
  sourceType: () => 'Journal',
})

/** The benchmark ledger lists no accounts. */
const toAccount = mapping<Line, AccountingAccount>(1, {
  origId: (l) => l.account,
  number: (l) => l.account,
  name: (l) => l.account,
  currency: () => 'CAD',
  description: () => '',
  classApp: () => '',
  classSystem: () => 'UNKNOWN',
  typeApp: () => '',
  typeSystem: () => 'OTHER',
  subTypeApp: () => '',
  subTypeSystem: () => '',
  statusApp: () => '',
  statusSystem: () => 'UNKNOWN',
})

function describe(connector: Connector): ConnectorDescription {
  return {
    key: 'bench-ledger',
    name: 'Grand livre du Plateau',
    title: 'Grand livre du Plateau',
    description: { 'en-CA': 'For the bench', 'fr-CA': 'Pour le banc d’essai' },
    category: 'Accounting',
    route: 'app',
    entities: ['Transactions'],
    link: 'form',
    appKeys: [],
    hosts: {},
    refreshHours: 24,
    load: async () => connector,
  }
}
