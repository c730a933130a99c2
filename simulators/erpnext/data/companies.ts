import { giantName } from '../../kit/data/giant-names.ts'
import { ATELIER_CHART, ATELIER_ROUTINES } from './chart-atelier.ts'
import { PRAIRIE_CHART, PRAIRIE_ROUTINES } from './chart-prairie.ts'
import type { Routine } from './routine.ts'

export interface Company {
  name: string
  abbr: string
  currency: 'CAD' | 'USD'
  creation: string
  /** Rows of text (format in chart.ts); null: generated, as many as the options say. */
  chart: string | null
  routines: readonly Routine[]
  /** Number of months with ledger entries; the last is June 2026. */
  months: number
}

export const COMPANIES: readonly Company[] = [
  {
    name: 'Atelier Boréal inc.',
    abbr: 'AB',
    currency: 'CAD',
    creation: '2022-01-04 09:12:44.102938',
    chart: ATELIER_CHART,
    routines: ATELIER_ROUTINES,
    months: 48,
  },
  {
    name: 'Prairie Outfitters Ltd.',
    abbr: 'PO',
    currency: 'CAD',
    creation: '2023-03-01 15:40:02.771204',
    chart: PRAIRIE_CHART,
    routines: PRAIRIE_ROUTINES,
    months: 24,
  },
  {
    name: 'Giant Holdings',
    abbr: 'GH',
    currency: 'USD',
    creation: '2021-09-01 00:00:00.000001',
    chart: null,
    routines: [
      {
        voucherType: 'Journal Entry',
        prefix: 'ACC-JV',
        remarks: 'Month-end transfer',
        lines: [
          { account: giantName(1), side: 'debit' },
          { account: giantName(2), side: 'credit' },
        ],
      },
    ],
    months: 12,
  },
]

export interface Login {
  user: string
  apiKey: string
  apiSecret: string
  /** Abbreviations; user permissions hide other companies. */
  companies: readonly string[]
  /** False for a user without an accounting role, who is refused its doctypes. */
  mayRead: boolean
}

export const LOGINS: readonly Login[] = [
  {
    user: 'marie@tremblay-cpa.example',
    apiKey: '7f3a91c4e2b05d1',
    apiSecret: 'sandbox-secret-marie',
    companies: ['AB', 'PO'],
    mayRead: true,
  },
  {
    user: 'noor@prairie-outfitters.example',
    apiKey: '2c80d5e9a4471b3',
    apiSecret: 'sandbox-secret-noor',
    companies: ['PO'],
    mayRead: true,
  },
  {
    user: 'shop@prairie-outfitters.example',
    apiKey: '91b7c3d2e6f0a58',
    apiSecret: 'sandbox-secret-shop',
    companies: ['PO'],
    mayRead: false,
  },
  { user: 'new@tremblay-cpa.example', apiKey: 'a05be1440c9d7f2', apiSecret: 'sandbox-secret-new', companies: [], mayRead: true },
  { user: 'load@giant.example', apiKey: '5d0e77aa10b2c34', apiSecret: 'sandbox-secret-load', companies: ['GH'], mayRead: true },
]
