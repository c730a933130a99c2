import { giantName } from '../../kit/data/giant-names.ts'
import { CASCADE_CHART, CASCADE_ROUTINES } from './chart-cascade.ts'
import { RIDEAU_CHART, RIDEAU_ROUTINES } from './chart-rideau.ts'
import type { Routine } from './routine.ts'

export interface Currency {
  id: string
  symbol: string
  name: string
}

/** One NetSuite account. */
export interface Company {
  /** In NetSuite's format: upper case, with the suffix `_SB1` for a sandbox. */
  accountId: string
  name: string
  place: string
  /** Base currency first; empty without the Multiple Currencies feature. */
  currencies: readonly Currency[]
  /** Root first; empty without OneWorld. */
  subsidiaries: readonly { id: string; name: string; currency: string }[]
  entities: Readonly<Record<string, string>>
  /** Rows of text (format in chart.ts); null: generated, as many as the options say. */
  chart: string | null
  routines: readonly Routine[]
  /** Number of months with transactions; the last is June 2026. */
  months: number
}

const CURRENCIES: readonly Currency[] = [
  { id: '1', symbol: 'USD', name: 'US Dollar' },
  { id: '2', symbol: 'CAD', name: 'Canadian Dollar' },
  { id: '3', symbol: 'EUR', name: 'Euro' },
  { id: '4', symbol: 'CLF', name: 'Unidad de Fomento' },
]

const CASCADE: Company = {
  accountId: '7654321',
  name: 'Cascade Outfitters, Inc.',
  place: 'Bend, OR',
  currencies: CURRENCIES,
  subsidiaries: [
    { id: '1', name: 'Cascade Outfitters, Inc.', currency: '1' },
    { id: '2', name: 'Cascade Outfitters Canada ULC', currency: '2' },
  ],
  entities: { '201': 'Blue Ridge Mountain Sports', '301': 'Peninsula Truck Lines', '302': 'Immeubles Burnaby inc.' },
  chart: CASCADE_CHART,
  routines: CASCADE_ROUTINES,
  months: 30,
}

export const COMPANIES: readonly Company[] = [
  CASCADE,
  { ...CASCADE, accountId: '7654321_SB1', name: 'Cascade Outfitters (sandbox)', months: 3 },
  {
    accountId: '2468013',
    name: 'Rideau Robotique inc.',
    place: 'Gatineau, QC',
    currencies: [],
    subsidiaries: [],
    entities: { '211': 'Fromagerie des Collines' },
    chart: RIDEAU_CHART,
    routines: RIDEAU_ROUTINES,
    months: 12,
  },
  {
    accountId: '9999999',
    name: 'Giant Holdings Corp.',
    place: 'Wilmington, DE',
    currencies: CURRENCIES,
    subsidiaries: [],
    entities: {},
    chart: null,
    routines: [
      {
        type: 'Transfer',
        prefix: 'TR',
        memo: 'Month-end transfer',
        entity: null,
        subsidiary: null,
        lines: [
          { account: giantName(1), side: 'debit' },
          { account: giantName(2), side: 'credit' },
        ],
      },
    ],
    months: 12,
  },
]

/** Role of a user in one account; it determines the records that SuiteQL finds. */
export interface Role {
  /** Unique among all roles; starts with the account id. */
  key: string
  name: string
  sees: 'everything' | 'lists' | 'nothing'
}

export interface Login {
  key: string
  person: string
  email: string
  roles: readonly Role[]
}

/** Logins on the consent page; the first is signed in until another is selected. */
export const LOGINS: readonly [Login, ...Login[]] = [
  {
    key: 'harper',
    person: 'Harper Lindqvist',
    email: 'harper@cascade-outfitters.example',
    roles: [{ key: '7654321/reader', name: 'Books Reader', sees: 'everything' }],
  },
  {
    key: 'noor',
    person: 'Noor Haddad, CPA',
    email: 'noor@haddad-cpa.example',
    roles: [
      { key: '2468013/controller', name: 'Contrôleur', sees: 'everything' },
      { key: '7654321/controller', name: 'Controller', sees: 'everything' },
      { key: '7654321_SB1/controller', name: 'Controller', sees: 'everything' },
    ],
  },
  {
    key: 'mira',
    person: 'Mira Okafor',
    email: 'mira@cascade-outfitters.example',
    roles: [{ key: '7654321/lists', name: 'Lists Only', sees: 'lists' }],
  },
  {
    key: 'sam',
    person: 'Sam Newcomer',
    email: 'sam@rideau-robotique.example',
    roles: [{ key: '2468013/employee', name: 'Employee Center', sees: 'nothing' }],
  },
  {
    key: 'load',
    person: 'Load test',
    email: 'load@giant-holdings.example',
    roles: [{ key: '9999999/reader', name: 'Books Reader', sees: 'everything' }],
  },
]

export function findCompany(accountId: string): Company | null {
  return COMPANIES.find((company) => company.accountId === accountId) ?? null
}

export function findRole(key: string | null): Role | null {
  return LOGINS.flatMap(({ roles }) => roles).find((role) => role.key === key) ?? null
}

/** Id of the NetSuite account that a role belongs to. */
export function accountOfRole(key: string): string {
  return key.split('/')[0] ?? ''
}
