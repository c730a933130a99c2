import { getLoginByKey } from '../../kit/ledger-simulator.ts'
import type { Routine } from './routine.ts'

export interface Bank {
  id: number
  /** 750, followed by the bank account's own number. */
  code: string
  name: string
  type: 'StandardBankAccount' | 'CreditCardAccount' | 'EcommerceAccount' | 'CryptoWallet'
  currency: string
  status: 'active' | 'hidden'
}

export interface Company {
  id: number
  name: string
  subdomain: string
  type: string
  currency: string
  startedOn: string
  /** Ends of the accounting years, in order. */
  yearEnds: readonly string[]
  banks: readonly Bank[]
  /** Lines added to those of every company; format in chart.ts. */
  chart: string
  routines: readonly Routine[]
  /** Number of months with transactions; the last is June 2026. */
  months: number
  /** Whether its number of categories is an option. */
  isGiant?: boolean
}

const HARBOUR_ROUTINES: readonly Routine[] = [
  {
    item: 'invoices',
    words: 'Invoice',
    lines: [
      ['681', 6],
      ['001', -5],
      ['817', -1],
    ],
  },
  {
    item: 'bank_transaction_explanations',
    words: 'Invoice Receipt',
    lines: [
      ['750-65345', 6],
      ['681', -6],
    ],
  },
  {
    item: 'bills',
    words: 'Bill',
    lines: [
      ['101', 5],
      ['817', 1],
      ['796', -6],
    ],
  },
  {
    item: 'journal_sets',
    words: 'Salaries',
    lines: [
      ['200', 10],
      ['814', -3],
      ['907-1', -7],
    ],
  },
  {
    item: null,
    words: 'Depreciation of the month',
    lines: [
      ['380', 1],
      ['606-1', -1],
    ],
  },
]

const COMPANIES: readonly Company[] = [
  {
    id: 71_001,
    name: 'Harbour Lane Design Ltd',
    subdomain: 'harbourlanedesign',
    type: 'UkLimitedCompany',
    currency: 'GBP',
    startedOn: '2023-02-13',
    yearEnds: ['2024-02-29', '2025-02-28', '2026-02-28', '2027-02-28'],
    banks: [
      { id: 65_345, code: '750-65345', name: 'NatWest Current', type: 'StandardBankAccount', currency: 'GBP', status: 'active' },
      { id: 65_346, code: '750-65346', name: 'NatWest Reserve', type: 'StandardBankAccount', currency: 'GBP', status: 'active' },
      { id: 65_347, code: '750-65347', name: 'Wise – Euro', type: 'StandardBankAccount', currency: 'EUR', status: 'active' },
      { id: 65_348, code: '750-65348', name: 'Amex Gold', type: 'CreditCardAccount', currency: 'GBP', status: 'active' },
      { id: 65_349, code: '750-65349', name: 'Stripe', type: 'EcommerceAccount', currency: 'GBP', status: 'active' },
      { id: 65_350, code: '750-65350', name: 'Old Metro Bank', type: 'StandardBankAccount', currency: 'GBP', status: 'hidden' },
      { id: 65_351, code: '750-65351', name: 'Treasury wallet', type: 'CryptoWallet', currency: 'GBP', status: 'active' },
    ],
    chart: `
income | 010 | Café fit-outs
cost_of_sales | 110 | Façade models
admin_expenses | 212 | Computer Software – Rhino & Adobe
general | 671 | Deposits paid – studio lease
general | 731 | Accruals
general | 732 | Deferred Income
general | 830 | Pension Contributions
general | 650 | Work in progress revaluation
`,
    routines: HARBOUR_ROUTINES,
    months: 40,
  },
  {
    id: 71_002,
    name: 'Menuiserie Côté-Ouest',
    subdomain: 'menuiseriecoteouest',
    type: 'UniversalCompany',
    currency: 'CAD',
    startedOn: '2025-01-01',
    yearEnds: ['2025-12-31', '2026-12-31'],
    banks: [
      { id: 70_001, code: '750-70001', name: 'Compte-chèques Desjardins', type: 'StandardBankAccount', currency: 'CAD', status: 'active' },
      {
        id: 70_002,
        code: '750-70002',
        name: 'Compte en dollars américains',
        type: 'StandardBankAccount',
        currency: 'USD',
        status: 'active',
      },
      { id: 70_003, code: '750-70003', name: 'Ancienne Visa', type: 'CreditCardAccount', currency: 'CAD', status: 'hidden' },
    ],
    chart: `
income | 020 | Armoires et îlots de cuisine
cost_of_sales | 120 | Érable, merisier et noyer
admin_expenses | 220 | Loyer de l’atelier
`,
    routines: [
      {
        item: 'invoices',
        words: 'Facture – armoires « érable »',
        lines: [
          ['681', 7],
          ['020', -6],
          ['817', -1],
        ],
      },
    ],
    months: 18,
  },
  {
    id: 71_003,
    name: 'Owen Price Translation',
    subdomain: 'owenprice',
    type: 'UkSoleTrader',
    currency: 'GBP',
    startedOn: '2024-04-06',
    yearEnds: ['2025-04-05', '2026-04-05', '2027-04-05'],
    banks: [{ id: 80_001, code: '750-80001', name: 'Starling', type: 'StandardBankAccount', currency: 'GBP', status: 'active' }],
    chart: '',
    routines: [
      {
        item: 'expenses',
        words: 'Drawings',
        lines: [
          ['910-1', 1],
          ['750-80001', -1],
        ],
      },
    ],
    months: 12,
  },
  {
    id: 71_009,
    name: 'Giant Holdings',
    subdomain: 'giantholdings',
    type: 'UkLimitedCompany',
    currency: 'GBP',
    startedOn: '2025-01-01',
    yearEnds: ['2025-12-31', '2026-12-31'],
    banks: [],
    chart: '',
    routines: Array.from({ length: 250 }, (_, index) => ({
      item: 'invoices',
      words: `Invoice run ${index}`,
      lines: [
        ['681', 6],
        ['001', -5],
        ['817', -1],
      ] as const,
    })),
    months: 6,
    isGiant: true,
  },
]

export interface Login {
  key: string
  person: string
  email: string
  companyId: number | null
}

/**
 * Logins on the consent page; the first is signed in until another is selected. One login per company, as at
 * FreeAgent.
 */
export const LOGINS: readonly [Login, ...Login[]] = [
  { key: 'fiona', person: 'Fiona Kerr', email: 'fiona@harbourlane.example', companyId: 71_001 },
  { key: 'benoit', person: 'Benoît Côté', email: 'benoit@cote-ouest.example', companyId: 71_002 },
  { key: 'owen', person: 'Owen Price', email: 'owen@price.example', companyId: 71_003 },
  { key: 'sam', person: 'Sam Newcomer', email: 'sam@newcomer.example', companyId: null },
  { key: 'load', person: 'Load test', email: 'load@giant-holdings.example', companyId: 71_009 },
]

export function getLogin(key: string): Login {
  return getLoginByKey(LOGINS, key)
}

/** Throws if the id is unknown. */
export function getCompany(id: number): Company {
  const company = COMPANIES.find((each) => each.id === id)
  if (!company) throw new Error(`unknown company ${id}; known: ${COMPANIES.map((each) => each.id).join(', ')}`)
  return company
}
