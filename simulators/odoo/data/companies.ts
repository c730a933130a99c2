import { giantName } from '../../kit/data/giant-names.ts'
import { BOULANGERIE_CHART, BOULANGERIE_ROUTINES } from './chart-boulangerie.ts'
import { BOW_RIVER_CHART, BOW_RIVER_ROUTINES } from './chart-bow-river.ts'
import type { Routine } from './routine.ts'

/** The only database. */
export const DATABASE = 'sandbox'

export interface Company {
  id: number
  name: string
  currency: 'CAD' | 'USD'
  /** UTC, in Odoo's format. */
  createDate: string
  /** The company that this one is a branch of; they share accounts. */
  parentId: number | null
  /** Rows of text (format in chart.ts); null: generated, in the number given by the options; empty: no own chart. */
  chart: string | null
  routines: readonly Routine[]
  /** Number of months with journal entries; the last is June 2026. */
  months: number
}

export const COMPANIES: readonly Company[] = [
  {
    id: 1,
    name: 'Boulangerie du Plateau',
    currency: 'CAD',
    createDate: '2022-01-03 13:02:11',
    parentId: null,
    chart: BOULANGERIE_CHART,
    routines: BOULANGERIE_ROUTINES,
    months: 48,
  },
  {
    id: 2,
    name: 'Bow River Dental Group',
    currency: 'CAD',
    createDate: '2023-04-11 16:40:05',
    parentId: null,
    chart: BOW_RIVER_CHART,
    routines: BOW_RIVER_ROUTINES,
    months: 24,
  },
  {
    id: 3,
    name: 'Giant Holdings',
    currency: 'USD',
    createDate: '2021-09-01 00:00:00',
    parentId: null,
    chart: null,
    routines: [
      {
        label: 'Month-end transfer',
        kind: 'entry',
        lines: [
          { account: giantName(1), side: 'debit' },
          { account: giantName(2), side: 'credit' },
        ],
      },
    ],
    months: 12,
  },
  {
    id: 4,
    name: 'Boulangerie du Plateau – Rosemont',
    currency: 'CAD',
    createDate: '2025-02-17 09:15:44',
    parentId: 1,
    chart: '',
    routines: BOULANGERIE_ROUTINES,
    months: 6,
  },
]

export interface Login {
  id: number
  login: string
  apiKey: string
  /** Empty if none was selected. */
  lang: string
  companyId: number
  companyIds: readonly number[]
  /** False for a user without accounting rights, who is refused its models. */
  mayRead: boolean
}

export const LOGINS: readonly Login[] = [
  {
    id: 6,
    login: 'marie@tremblay-cpa.example',
    apiKey: 'sandbox-key-marie-7f3a91c4',
    lang: 'fr_CA',
    companyId: 1,
    companyIds: [1, 2, 4],
    mayRead: true,
  },
  {
    id: 7,
    login: 'priya@bowriverdental.example',
    apiKey: 'sandbox-key-priya-2c80d5e9',
    lang: 'en_CA',
    companyId: 2,
    companyIds: [2],
    mayRead: true,
  },
  {
    id: 8,
    login: 'sales@bowriverdental.example',
    apiKey: 'sandbox-key-sales-91b7',
    lang: '',
    companyId: 2,
    companyIds: [2],
    mayRead: false,
  },
  { id: 9, login: 'load@giant.example', apiKey: 'sandbox-key-load-5d0e', lang: '', companyId: 3, companyIds: [3], mayRead: true },
]
