import { describe, expect, test } from 'vitest'
import { accountMapping as fileAccount } from '../../src/connectors/bank-files/map.ts'
import { accountMapping as bannoAccount } from '../../src/connectors/banno/map.ts'
import type { AnyMapping } from '../../src/connectors/contract/mapping.ts'
import { toBankAccount as fdxAccount } from '../../src/connectors/fdx/map.ts'
import { toBankAccount as fineractAccount } from '../../src/connectors/fineract/map.ts'
import { toBankAccount as finicityAccount } from '../../src/connectors/finicity/map.ts'
import { toBankAccount as flinksAccount } from '../../src/connectors/flinks/map.ts'
import { toBankAccount as helixAccount } from '../../src/connectors/helix/map.ts'
import { toBankAccount as mambuAccount } from '../../src/connectors/mambu/map.ts'
import { toBankAccount as mxAccount } from '../../src/connectors/mx/map.ts'
import { toBankAccount as plaidAccount } from '../../src/connectors/plaid/map.ts'
import { connectors } from '../../src/connectors/registry.ts'
import { toBankAccount as stripeAccount } from '../../src/connectors/stripe/map.ts'
import { toBankAccount as tellerAccount } from '../../src/connectors/teller/map.ts'
import { toBankAccount as yodleeAccount } from '../../src/connectors/yodlee/map.ts'
import type { BankAccountKind } from '../../src/model/records/banking.ts'
import * as lists from './banking-lists.ts'

interface Source {
  /** The provider's complete list; null if its document is not available. */
  words: readonly lists.Words[] | null
  map: AnyMapping
  wire(words: lists.Words, balance: number): object
  /** Whether the source itself counts the kind as a debt. */
  isDebt(words: lists.Words): boolean
  /** Sign that the source uses for amounts owed. */
  owedAs: 1 | -1
  /** Number of kinds for which our taxonomy has only the group. */
  atMostOther: number
  /** Number of kinds that the provider itself calls unknown or other, without a group. */
  atMostUnknown?: number
  /** Minimum for a list that is read from the provider's document. */
  leastKinds?: number
}

const inGroups = (...groups: readonly string[]) => {
  return ([group]: lists.Words) => groups.includes(group)
}

const money = (amount: number) => ({ amount, currency: 'CAD' })

const SOURCES: Readonly<Record<string, Source>> = {
  Plaid: {
    words: lists.listPlaid(),
    map: plaidAccount,
    wire: ([type, subtype], current) => ({ account: { account_id: '1', type, subtype, balances: { current } }, item: {} }),
    isDebt: ([group, kind]) => group === 'credit' || group === 'loan' || kind === 'line of credit',
    owedAs: 1,
    atMostOther: 9,
    leastKinds: 80,
  },
  MX: {
    words: lists.MX,
    map: mxAccount,
    wire: ([type, subtype], balance) => ({ account: { guid: '1', type, subtype, balance }, member: {} }),
    isDebt: inGroups('CREDIT_CARD', 'LOAN', 'LINE_OF_CREDIT', 'MORTGAGE'),
    owedAs: 1,
    atMostOther: 13,
  },
  Yodlee: {
    words: lists.listYodlee(),
    map: yodleeAccount,
    wire: ([CONTAINER, accountType], balance) => ({ id: 1, CONTAINER, accountType, balance: money(balance) }),
    isDebt: ([group, kind]) => group === 'creditCard' || group === 'loan' || kind === 'INVESTMENT_LOAN_ACCOUNT',
    owedAs: 1,
    atMostOther: 29,
    leastKinds: 190,
  },
  Finicity: {
    words: lists.listFinicity(),
    map: finicityAccount,
    wire: ([, type], balance) => ({ account: { id: '1', type, balance }, institution: {} }),
    isDebt: ([, kind]) => /^(creditCard|lineOfCredit|mortgage|loan|studentLoan.*)$/.test(kind ?? ''),
    owedAs: -1,
    atMostOther: 2,
    leastKinds: 35,
  },
  Teller: {
    words: lists.TELLER,
    map: tellerAccount,
    wire: ([type, subtype], ledger) => ({ account: { id: '1', type, subtype }, balances: { ledger } }),
    isDebt: inGroups('credit'),
    owedAs: 1,
    atMostOther: 2,
  },
  'Stripe Financial Connections': {
    words: lists.STRIPE,
    map: stripeAccount,
    wire: ([category, subcategory], amount) => ({ id: '1', category, subcategory, balance: { current: { cad: amount * 100 } } }),
    isDebt: inGroups('credit'),
    owedAs: -1,
    atMostOther: 4,
    atMostUnknown: 1,
  },
  FDX: {
    words: lists.FDX,
    map: fdxAccount,
    wire: ([category, accountType], currentBalance) => ({
      ...{ category, provider: 'Bank', isFraction: false },
      account: { accountId: '1', accountType, currentBalance },
    }),
    isDebt: ([group, kind]) => group === 'LOAN_ACCOUNT' || group === 'LOC_ACCOUNT' || /^COMMERCIALL(OAN|INEOFCREDIT)$/.test(kind ?? ''),
    owedAs: 1,
    atMostOther: 8,
  },
  Flinks: {
    words: lists.FLINKS,
    map: flinksAccount,
    wire: ([Category, Type], Current) => ({
      account: { Id: '1', Mask: '', Category, Type, Balance: { Current } },
      login: {},
      institution: {},
    }),
    isDebt: ([group, kind]) => group === 'Credits' || kind === 'Mortgage',
    owedAs: -1,
    atMostOther: 2,
  },
  Banno: {
    words: lists.BANNO,
    map: bannoAccount,
    wire: ([accountType, accountSubType], balance) => ({ id: '1', accountType, accountSubType, balance }),
    isDebt: inGroups('Debt', 'Line of Credit'),
    owedAs: 1,
    atMostOther: 1,
  },
  OFX: {
    words: lists.OFX,
    map: fileAccount,
    wire: ([statementKind, type], balance) => ({
      ...{
        format: 'ofx',
        origId: '1',
        maskedNumber: '',
        currency: 'CAD',
        statementKind,
        type,
        classification: null,
        status: null,
        dates: {},
      },
      amounts: { LEDGERBAL: { text: String(balance), mark: null, unit: 'major', currency: null, date: null } },
    }),
    isDebt: ([group, kind]) => group !== 'bank' || kind === 'CREDITLINE',
    owedAs: -1,
    atMostOther: 0,
  },
  Mambu: {
    words: lists.MAMBU,
    map: mambuAccount,
    wire: ([list, kind], balance) =>
      list === 'loan'
        ? { loan: { encodedKey: '1', balances: { principalBalance: balance }, ...(kind === null ? {} : { principalPaymentSettings: {} }) } }
        : { deposit: { encodedKey: '1', accountType: kind, balances: { totalBalance: balance } } },
    isDebt: inGroups('loan'),
    owedAs: 1,
    atMostOther: 2,
  },
  Fineract: {
    words: lists.FINERACT,
    map: fineractAccount,
    wire: ([list, kind], balance) =>
      list === 'loan'
        ? { id: '1', client: {}, loan: { summary: { principalOutstanding: balance } } }
        : { id: '1', client: {}, deposit: { depositType: { code: `savingsAccountType.${kind}` }, summary: { accountBalance: balance } } },
    isDebt: inGroups('loan'),
    owedAs: 1,
    atMostOther: 1,
  },
  Helix: {
    words: lists.HELIX,
    map: helixAccount,
    wire: ([, type], accountBalance) => ({ account: { accountId: 1, type, accountBalance } }),
    isDebt: () => false,
    owedAs: 1,
    atMostOther: 0,
  },
}

/** Sources that tell names only, which `banking-names.test.ts` judges. */
const NAMES_ONLY: ReadonlySet<string> = new Set(['simplefin'])

test('every banking source is judged by a list of its kinds, or by names where it tells nothing else', async () => {
  const judged = new Set(Object.values(SOURCES).map(({ map }) => map))
  const others: string[] = []
  for (const { key, category, load } of connectors)
    if (category === 'Banking' && !judged.has((await load()).entities.Accounts.map)) others.push(key)
  expect(new Set(others)).toEqual(NAMES_ONLY)
})

function read(source: Source, words: lists.Words, balance: number) {
  const unknown: string[] = []
  const context = { fetchedAt: new Date(0), unmapped: (field: string, word: string) => void (field === 'kind' && unknown.push(word)) }
  const wire = source.wire(words, balance)
  const kind = source.map.fields.kind?.(wire, context) as BankAccountKind
  return { kind, unknown, balance: source.map.fields.actualBalance?.(wire, context) }
}

describe.each(Object.entries(SOURCES))('%s', (name, source) => {
  const words = source.words ?? []

  test.skipIf(source.words === null)('knows every kind of account that the provider publishes (skipped without ../shared)', () => {
    const all = words.map((each) => ({ each: each.join('/'), ...read(source, each, 100) }))
    const other = all.filter(({ kind }) => /^(Other|Unknown)/.test(kind.subType))
    const typed = all.filter(({ kind }) => kind.subType !== 'Unknown').length
    const unknown = all.flatMap((each) => each.unknown)
    process.stdout.write(
      `${name}: ${all.length} kinds, ${typed} with a type, ${all.length - other.length} with a sub type, ${unknown.length} unknown words\n`,
    )
    expect(all.length).toBeGreaterThanOrEqual(source.leastKinds ?? 3)
    expect(unknown).toEqual([])
    expect(other.length).toBeLessThanOrEqual(source.atMostOther)
    expect(all.length - typed).toBeLessThanOrEqual(source.atMostUnknown ?? 0)
  })

  test.skipIf(source.words === null)("shows amounts owed as positive, and assets unchanged, by the provider's kind", () => {
    for (const each of words) {
      const isDebt = source.isDebt(each)
      const { kind, balance } = read(source, each, isDebt ? 100 * source.owedAs : 100)
      const group = isDebt ? ['CreditCards', 'Loans'].includes(kind.type) : !['CreditCards', 'Loans'].includes(kind.type)
      const isPoints = kind.subType === 'RewardPoints'
      expect([each.join('/'), group || isPoints, balance]).toEqual([each.join('/'), true, '100'])
      if (!isDebt) expect([each.join('/'), read(source, each, -100).balance]).toEqual([each.join('/'), '-100'])
    }
  })
})
