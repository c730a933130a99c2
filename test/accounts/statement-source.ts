import { Type } from 'typebox'
import type { Connector, SourceItem } from '../../src/connectors/contract/contract.ts'
import { bankAccountMapping, mapping } from '../../src/connectors/contract/mapping.ts'
import type { BankTransaction } from '../../src/model/records/bank-transaction.ts'
import { toDecimal } from '../../src/model/values/decimal.ts'
import { parseDay } from '../../src/model/values/timestamps.ts'
import { PLAIN_BANK_ACCOUNT } from '../harness/app/plain-bank-account.ts'
import { ScriptedSource } from '../sync/scripted-source.ts'

export interface Statement {
  id: string
  bank: string
  name?: string
  ending?: string
  number?: string
  currency?: string
  kind?: 'Checking' | 'Savings' | 'CreditCard'
  status?: 'ACTIVE' | 'CLOSED'
  balance?: string
  balanceAt?: string
  /** Day and amount of each transaction. */
  rows?: readonly (readonly [string, string])[]
}

/** A scripted source of bank accounts with transactions. */
export class StatementSource extends ScriptedSource {
  statements: Statement[] = []

  constructor(key: string) {
    super(key, 'Banking')
    Object.assign(this.description, { entities: ['Accounts', 'Transactions'] })
  }

  override get connector(): Connector {
    const [first] = super.connector.pulls
    if (!first) throw new Error('the scripted source has no pull')
    return {
      ...super.connector,
      pulls: [
        {
          ...first,
          delivers: ['Accounts', 'Transactions'],
          fetch: async () => ({ answers: { list: Buffer.from(JSON.stringify(this.statements)) }, next: null, listing: this.listing }),
          read,
        },
      ],
      entities: {
        Accounts: { wire: Type.Object({ id: Type.String() }), map: accountMap },
        Transactions: { wire: Type.Object({ id: Type.String() }), map: transactionMap },
      },
    }
  }
}

function* read(answers: Record<string, Uint8Array>): Generator<SourceItem> {
  const list: Statement[] = JSON.parse(Buffer.from(answers.list ?? '').toString('utf8'))
  for (const { number, rows = [], ...account } of list) {
    yield { entity: 'Accounts', origId: account.id, wire: account, ...(number ? { numbers: [number] } : {}) }
    for (const [index, [day, amount]] of rows.entries()) {
      const id = `${account.id}/${index}`
      yield { entity: 'Transactions', origId: id, wire: { id, account: account.id, day, amount } }
    }
  }
}

const accountMap = bankAccountMapping<Statement>(1, [], {
  ...PLAIN_BANK_ACCOUNT,
  origId: (a) => a.id,
  providerName: (a) => a.bank,
  accountName: (a) => a.name ?? 'Business account',
  accountNumber: (a) => (a.ending ? `••••${a.ending}` : ''),
  accountStatusSystem: (a) => a.status ?? 'ACTIVE',
  kind: ({ kind = 'Checking' }) => (kind === 'CreditCard' ? { type: 'CreditCards', subType: kind } : { type: 'Cash', subType: kind }),
  currency: (a) => a.currency ?? 'CAD',
  actualBalance: (a) => toDecimal(a.balance),
  actualBalanceDate: (a) => a.balanceAt ?? null,
})

interface Row {
  id: string
  account: string
  day: string
  amount: string
}

const transactionMap = mapping<Row, BankTransaction>(1, {
  origId: (r) => r.id,
  accountOrigId: (r) => r.account,
  postedOn: (r) => parseDay(r.day),
  transactionOn: () => null,
  amount: (r) => {
    const amount = toDecimal(r.amount)
    if (amount === null) throw new RangeError('no amount')
    return amount
  },
  currency: () => 'CAD',
  description: () => 'Card purchase',
  counterparty: () => '',
  category: () => '',
  isPending: () => false,
  runningBalance: () => null,
})
