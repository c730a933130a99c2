import { getLoginByKey } from '../../kit/ledger-simulator.ts'
import { KERERU_CHART } from './chart-kereru.ts'
import { WATTLE_CHART } from './chart-wattle.ts'
import type { Routine } from './routine.ts'

export interface CompanyFile {
  id: string
  name: string
  country: 'AU' | 'NZ'
  /** Rows of text (format in chart.ts); null: generated, as many as the options say. */
  chart: string | null
  routines: readonly Routine[]
  /** Number of months with journal transactions; the last is June 2026. */
  months: number
}

const WATTLE: CompanyFile = {
  id: '5a1e0001-77aa-4bbb-8ccc-000000000001',
  name: 'Wattle & Rye Bakery Pty Ltd',
  country: 'AU',
  chart: WATTLE_CHART,
  routines: [
    {
      type: 'Sale',
      source: 'Invoice',
      memo: 'Sale; Café Rue',
      lines: [
        ['1-1310', 11],
        ['4-1300', -10],
        ['2-1210', -1],
      ],
    },
    {
      type: 'CashReceipt',
      source: 'CustomerPayment',
      memo: 'Payment; Café Rue',
      lines: [
        ['1-1110', 11],
        ['1-1310', -11],
      ],
    },
    {
      type: 'Purchase',
      source: 'Bill',
      memo: 'Purchase; Laucke Flour',
      lines: [
        ['5-1100', 20],
        ['2-1220', 2],
        ['2-1310', -22],
      ],
    },
    {
      type: 'CashPayment',
      source: 'SpendMoneyTxn',
      memo: 'Rent',
      lines: [
        ['6-1100', 10],
        ['2-1220', 1],
        ['1-1110', -11],
      ],
    },
    {
      type: 'General',
      source: 'GeneralJournal',
      memo: 'Depreciation',
      lines: [
        ['6-1900', 3],
        ['1-2110', -2],
        ['1-2210', -1],
      ],
    },
  ],
  months: 96,
}

const KERERU: CompanyFile = {
  id: '5a1e0002-77aa-4bbb-8ccc-000000000002',
  name: 'Kererū Contracting Ltd',
  country: 'NZ',
  chart: KERERU_CHART,
  routines: [
    {
      type: 'Sale',
      source: 'Invoice',
      memo: 'Claim – Māori Trust',
      lines: [
        ['1-1200', 23],
        ['4-1200', -20],
        ['2-1300', -3],
      ],
    },
    {
      type: 'General',
      source: 'GeneralJournal',
      memo: 'Holiday pay',
      lines: [
        ['6-1000', 1],
        ['2-1340', -1],
      ],
    },
  ],
  months: 24,
}

/** File of the load test; its number of accounts is an option. */
const GIANT: CompanyFile = {
  id: '5a1e0009-77aa-4bbb-8ccc-000000000009',
  name: 'Giant Holdings Pty Ltd',
  country: 'AU',
  chart: null,
  routines: [
    {
      type: 'General',
      source: 'GeneralJournal',
      memo: 'Transfer',
      lines: [
        ['1-00001', 1],
        ['1-00002', -1],
      ],
    },
  ],
  months: 12,
}

const FILES: readonly CompanyFile[] = [WATTLE, KERERU, GIANT]

export interface Login {
  key: string
  person: string
  email: string
  files: readonly CompanyFile[]
}

/** Logins on the consent page; the first is signed in until another is selected. */
export const LOGINS: readonly [Login, ...Login[]] = [
  { key: 'zoe', person: 'Zoë Papadopoulos', email: 'zoe@wattle-rye.example', files: [WATTLE] },
  { key: 'aroha', person: 'Aroha Ngata, CA', email: 'aroha@ngata-ca.example', files: [KERERU, WATTLE] },
  { key: 'sam', person: 'Sam Newcomer', email: 'sam@newcomer.example', files: [] },
  { key: 'load', person: 'Load test', email: 'load@giant-holdings.example', files: [GIANT] },
]

export function getLogin(key: string): Login {
  return getLoginByKey(LOGINS, key)
}

/** Throws for an unknown id. */
export function getFile(id: string): CompanyFile {
  const file = FILES.find((each) => each.id === id)
  if (!file) throw new Error(`unknown company file ${id}; known: ${FILES.map((each) => each.id).join(', ')}`)
  return file
}
