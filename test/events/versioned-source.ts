import { Type } from 'typebox'
import { expect } from 'vitest'
import type { Connector, ConnectorDescription, Pull, SourceItem } from '../../src/connectors/contract/contract.ts'
import { type AnyMapping, mapping } from '../../src/connectors/contract/mapping.ts'
import type { Category, Entity } from '../../src/model/catalogue.ts'
import type { AccountingAccount } from '../../src/model/records/accounting-account.ts'
import type { AccountingTransaction } from '../../src/model/records/accounting-transaction.ts'
import type { BankAccount } from '../../src/model/records/bank-account.ts'
import type { BankTransaction } from '../../src/model/records/bank-transaction.ts'
import { type Decimal, toDecimal } from '../../src/model/values/decimal.ts'
import { parseDay } from '../../src/model/values/timestamps.ts'
import { PLAIN_BANK_ACCOUNT } from '../harness/app/plain-bank-account.ts'

interface Row {
  id: string
  /** Name of an account, or description of a transaction. */
  text: string
}

/** A source of either category with complete listings of accounts and transactions, as set by a test. */
export class VersionedSource {
  readonly rows: Record<Entity, Row[]> = { Accounts: [], Transactions: [] }
  readonly description: ConnectorDescription

  constructor(key: string, category: Category) {
    this.description = {
      key,
      name: key,
      title: key,
      description: { 'en-CA': 'For tests', 'fr-CA': 'Pour les tests' },
      category,
      route: 'app',
      entities: ['Accounts', 'Transactions'],
      link: 'form',
      appKeys: [],
      hosts: {},
      refreshHours: 24,
      load: async () => this.#connector(MAPPINGS[category]),
    }
  }

  #connector(maps: Record<Entity, AnyMapping>): Connector {
    return {
      authorize: {
        step: 'form',
        fields: [],
        submit: async () => ({ credentials: { secret: null, expiresAt: null }, entity: { id: 'books', name: 'The Books' } }),
      },
      pulls: [this.#pull('Accounts'), this.#pull('Transactions')],
      entities: { Accounts: { wire: WIRE, map: maps.Accounts }, Transactions: { wire: WIRE, map: maps.Transactions } },
    }
  }

  #pull(entity: Entity): Pull {
    return {
      name: entity,
      delivers: [entity],
      fetch: async () => ({ answers: { list: Buffer.from(JSON.stringify(this.rows[entity])) }, next: null, listing: 'complete' }),
      read: function* (answers): Generator<SourceItem> {
        const list: Row[] = JSON.parse(Buffer.from(answers.list ?? '').toString('utf8'))
        for (const row of list) yield { entity, origId: row.id, wire: row }
      },
    }
  }
}

const WIRE = Type.Object({ id: Type.String(), text: Type.String() })

const accountingAccounts = mapping<Row, AccountingAccount>(1, {
  origId: (row) => row.id,
  number: (row) => row.id,
  name: (row) => row.text,
  currency: () => 'CAD',
  description: () => '',
  classApp: () => 'Asset',
  classSystem: () => 'ASSET',
  typeApp: () => 'Bank',
  typeSystem: () => 'BANK',
  subTypeApp: () => '',
  subTypeSystem: () => '',
  statusApp: () => 'true',
  statusSystem: () => 'ACTIVE',
})

const accountingTransactions = mapping<Row, AccountingTransaction>(1, {
  origId: (row) => row.id,
  entryId: (row) => row.id,
  accountOrigId: () => 'a',
  postedOn: () => parseDay('2026-11-01'),
  document: () => '',
  description: (row) => row.text,
  counterparty: () => '',
  debit: () => one(),
  credit: () => null,
  currency: () => 'CAD',
  sourceType: () => 'Journal',
})

const bankAccounts = mapping<Row, BankAccount>(1, {
  ...PLAIN_BANK_ACCOUNT,
  origId: (row) => row.id,
  providerName: () => 'Bank',
  accountName: (row) => row.text,
  userAccountClassification: () => null,
})

const bankTransactions = mapping<Row, BankTransaction>(1, {
  origId: (row) => row.id,
  accountOrigId: () => 'a',
  postedOn: () => parseDay('2026-11-01'),
  transactionOn: () => null,
  amount: () => one(),
  currency: () => 'CAD',
  description: (row) => row.text,
  counterparty: () => '',
  category: () => '',
  isPending: () => false,
  runningBalance: () => null,
})

function one(): Decimal {
  return toDecimal('1') ?? expect.fail()
}

const MAPPINGS: Record<Category, Record<Entity, AnyMapping>> = {
  Accounting: { Accounts: accountingAccounts, Transactions: accountingTransactions },
  Banking: { Accounts: bankAccounts, Transactions: bankTransactions },
}
