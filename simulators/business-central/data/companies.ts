import { BOW_RIVER_CHART, BOW_RIVER_ROUTINES } from './chart-bow-river.ts'
import { ERABLE_CHART, ERABLE_ROUTINES } from './chart-erable.ts'
import { NORDLYS_CHART, NORDLYS_ROUTINES } from './chart-nordlys.ts'
import type { Routine } from './routine.ts'

export interface Company {
  id: string
  /** At most 30 characters. */
  name: string
  displayName: string
  /** The local currency. */
  currencyCode: string
  address: { addressLine1: string; city: string; state: string; country: string; postalCode: string }
  /** Two hexadecimal digits that prefix the ids of its records. */
  space: string
  /** Rows of text (format in chart.ts); null: generated, as many as the options say. */
  chart: string | null
  routines: readonly Routine[]
  /** Number of months with entries; the last is June 2026. */
  months: number
}

export interface Environment {
  tenantId: string
  name: string
  type: 'Production' | 'Sandbox'
  countryCode: string
  companyIds: readonly string[]
}

const DENTAL_ID = 'b0a7c0de-0001-4ee1-8f6e-6045bd9dec5b'
const ERABLE_ID = 'b0a7c0de-0002-4ee1-8f6e-6045bd9dec5b'
const NORDLYS_ID = 'b0a7c0de-0003-4ee1-8f6e-6045bd9dec5b'
/** Company of the load test; its number of accounts is an option. */
const GIANT_ID = 'b0a7c0de-0009-4ee1-8f6e-6045bd9dec5b'

export const COMPANIES: readonly Company[] = [
  {
    id: DENTAL_ID,
    name: 'Bow River Dental',
    displayName: 'Bow River Dental Professional Corporation',
    currencyCode: 'CAD',
    address: { addressLine1: '1721 4 Street SW', city: 'Calgary', state: 'AB', country: 'CA', postalCode: 'T2S 1W2' },
    space: 'd1',
    chart: BOW_RIVER_CHART,
    routines: BOW_RIVER_ROUTINES,
    months: 24,
  },
  {
    id: ERABLE_ID,
    name: 'Érable en ligne',
    displayName: '',
    currencyCode: 'CAD',
    address: { addressLine1: '6120, rue Saint-Laurent', city: 'Lévis', state: 'QC', country: 'CA', postalCode: 'G6V 3P4' },
    space: 'd2',
    chart: ERABLE_CHART,
    routines: ERABLE_ROUTINES,
    months: 36,
  },
  {
    id: NORDLYS_ID,
    name: 'Nordlys Lamper ApS',
    displayName: 'Nordlys Lamper ApS',
    currencyCode: 'DKK',
    address: { addressLine1: 'Refshalevej 163A', city: 'København', state: '', country: 'DK', postalCode: '1432' },
    space: 'd3',
    chart: NORDLYS_CHART,
    routines: NORDLYS_ROUTINES,
    months: 12,
  },
  {
    id: GIANT_ID,
    name: 'Giant Holdings',
    displayName: 'Giant Holdings Corp.',
    currencyCode: 'USD',
    address: { addressLine1: '1 Scale Way', city: 'Wilmington', state: 'DE', country: 'US', postalCode: '19801' },
    space: 'd9',
    chart: null,
    routines: [
      {
        document: 'TR',
        type: '_x0020_',
        text: 'Month-end transfer',
        lines: [
          { number: '000001', side: 'debit' },
          { number: '000002', side: 'credit' },
        ],
      },
    ],
    months: 12,
  },
]

const DENTAL_TENANT = '7e0a0001-1f2e-4b7d-9a51-0c5c2a1d4e01'
const SHOP_TENANT = '7e0a0002-1f2e-4b7d-9a51-0c5c2a1d4e02'
const EMPTY_TENANT = '7e0a0003-1f2e-4b7d-9a51-0c5c2a1d4e03'
const TRIAL_TENANT = '7e0a0004-1f2e-4b7d-9a51-0c5c2a1d4e04'
const GIANT_TENANT = '7e0a0009-1f2e-4b7d-9a51-0c5c2a1d4e09'

/** Copies of an environment keep their company ids, as at Microsoft. */
export const ENVIRONMENTS: readonly Environment[] = [
  { tenantId: DENTAL_TENANT, name: 'Production', type: 'Production', countryCode: 'CA', companyIds: [DENTAL_ID] },
  { tenantId: DENTAL_TENANT, name: 'Sandbox', type: 'Sandbox', countryCode: 'CA', companyIds: [DENTAL_ID, GIANT_ID] },
  { tenantId: SHOP_TENANT, name: 'Production', type: 'Production', countryCode: 'CA', companyIds: [ERABLE_ID] },
  { tenantId: SHOP_TENANT, name: 'Nordlys DK', type: 'Production', countryCode: 'DK', companyIds: [NORDLYS_ID] },
  { tenantId: TRIAL_TENANT, name: 'Trial', type: 'Sandbox', countryCode: 'DK', companyIds: [NORDLYS_ID] },
  { tenantId: GIANT_TENANT, name: 'Production', type: 'Production', countryCode: 'US', companyIds: [GIANT_ID] },
]

export interface Login {
  key: string
  person: string
  email: string
  tenantId: string
  /** Environments of the tenant that the user has no licence for. */
  closed: readonly string[]
  /** False if the user may read the chart but not the ledger. */
  readsLedger: boolean
}

/** Logins on the consent page; the first is signed in until another is selected. */
export const LOGINS: readonly [Login, ...Login[]] = [
  { key: 'erin', person: 'Erin O’Neill', email: 'erin@bowriverdental.example', tenantId: DENTAL_TENANT, closed: [], readsLedger: true },
  { key: 'luc', person: 'Luc Gagnon, CPA', email: 'luc@erable.example', tenantId: SHOP_TENANT, closed: [], readsLedger: true },
  { key: 'anna', person: 'Anna Roy', email: 'anna@erable.example', tenantId: SHOP_TENANT, closed: ['Nordlys DK'], readsLedger: false },
  { key: 'freja', person: 'Freja Holm', email: 'freja@nordlys.example', tenantId: TRIAL_TENANT, closed: [], readsLedger: true },
  { key: 'sam', person: 'Sam Newcomer', email: 'sam@newcomer.example', tenantId: EMPTY_TENANT, closed: [], readsLedger: true },
  { key: 'load', person: 'Load test', email: 'load@giant-holdings.example', tenantId: GIANT_TENANT, closed: [], readsLedger: true },
]

export function findCompany(id: string): Company | null {
  return COMPANIES.find((company) => company.id === id) ?? null
}

export function findLogin(key: string | null): Login | null {
  return LOGINS.find((login) => login.key === key) ?? null
}
