import { Type } from 'typebox'
import { bankFiles } from '../../src/connectors/bank-files/index.ts'
import type { Connector, ConnectorDescription, SourceItem } from '../../src/connectors/contract/contract.ts'
import { mapping } from '../../src/connectors/contract/mapping.ts'
import type { BankAccount } from '../../src/model/records/bank-account.ts'
import { toDecimal } from '../../src/model/values/decimal.ts'
import { PLAIN_BANK_ACCOUNT } from '../harness/app/plain-bank-account.ts'

const ACCOUNTS = 30

/**
 * A bank whose customers' accounts all show the same number: the version of the customer's books. It replaces an
 * outside source and uses the key of a source known to the service, so that real processes read its data.
 */
export class VersionedBank {
  /** Versions by customer. */
  readonly versions = new Map<string, number>()
  readonly description: ConnectorDescription

  constructor() {
    const connector = this.#connect()
    this.description = { ...bankFiles, link: 'form', entities: ['Accounts'], load: async () => connector }
  }

  #connect(): Connector {
    return {
      authorize: {
        step: 'form',
        fields: [{ name: 'customer', type: 'text', label: { en: 'Customer', 'fr-CA': 'Client' }, required: true }],
        submit: async (_kit, { customer = '' }) => ({
          credentials: { secret: null, expiresAt: null },
          entity: { id: customer, name: customer },
        }),
      },
      pulls: [
        {
          name: 'accounts',
          delivers: ['Accounts'],
          fetch: async ({ entityId }) => {
            const version = this.versions.get(entityId) ?? 0
            const list = Array.from({ length: ACCOUNTS }, (_, index) => ({ id: String(index), version: String(version) }))
            return { answers: { list: Buffer.from(JSON.stringify(list)) }, next: null, listing: 'complete' }
          },
          read,
        },
      ],
      entities: { Accounts: { wire: Type.Object({ id: Type.String(), version: Type.String() }), map: toAccount } },
    }
  }
}

function* read(answers: Record<string, Uint8Array>): Generator<SourceItem> {
  const list = JSON.parse(Buffer.from(answers.list ?? '').toString()) as { id: string }[]
  for (const account of list) yield { entity: 'Accounts', origId: account.id, wire: account }
}

const toAccount = mapping<{ id: string; version: string }, BankAccount>(1, {
  ...PLAIN_BANK_ACCOUNT,
  origId: (a) => a.id,
  providerName: () => 'Versioned Bank',
  accountName: (a) => `Account ${a.id}`,
  actualBalance: (a) => toDecimal(a.version),
})
