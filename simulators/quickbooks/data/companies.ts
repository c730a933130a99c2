import { giantName } from '../../kit/data/giant-names.ts'
import { BOULANGERIE_CHART, BOULANGERIE_ROUTINES } from './chart-boulangerie.ts'
import { BUCKEYE_CHART, BUCKEYE_ROUTINES } from './chart-buckeye.ts'
import type { Routine } from './routine.ts'

export interface Company {
  realmId: string
  name: string
  legalName: string
  country: 'CA' | 'US'
  currency: 'CAD' | 'USD'
  address: { Line1: string; City: string; CountrySubDivisionCode: string; PostalCode: string }
  /** Rows of text (format in chart.ts); null: generated, as many as the options say. */
  chart: string | null
  routines: readonly Routine[]
  /** Number of months with journal entries; the last is June 2026. */
  months: number
}

/** Company of the load test; its number of accounts is an option. */
const GIANT_REALM = '9999'

export const COMPANIES: readonly Company[] = [
  {
    realmId: '4620816365200000101',
    name: 'Boulangerie du Plateau',
    legalName: 'Boulangerie du Plateau Mont-Royal inc.',
    country: 'CA',
    currency: 'CAD',
    address: { Line1: '4321, avenue du Mont-Royal Est', City: 'Montréal', CountrySubDivisionCode: 'QC', PostalCode: 'H2H 1W8' },
    chart: BOULANGERIE_CHART,
    routines: BOULANGERIE_ROUTINES,
    months: 48,
  },
  {
    realmId: '4620816365200000202',
    name: 'Buckeye Contracting',
    legalName: 'Buckeye Contracting LLC',
    country: 'US',
    currency: 'USD',
    address: { Line1: '118 Olentangy River Rd', City: 'Columbus', CountrySubDivisionCode: 'OH', PostalCode: '43202' },
    chart: BUCKEYE_CHART,
    routines: BUCKEYE_ROUTINES,
    months: 24,
  },
  {
    realmId: GIANT_REALM,
    name: 'Giant Holdings',
    legalName: 'Giant Holdings Corp.',
    country: 'US',
    currency: 'USD',
    address: { Line1: '1 Scale Way', City: 'Wilmington', CountrySubDivisionCode: 'DE', PostalCode: '19801' },
    chart: null,
    routines: [
      {
        note: 'Month-end transfer',
        lines: [
          { account: giantName(1), side: 'Debit' },
          { account: giantName(2), side: 'Credit' },
        ],
      },
    ],
    months: 12,
  },
]

export interface Login {
  key: string
  person: string
  email: string
  realmIds: readonly string[]
}

/** Logins on the consent page; the first is signed in until another is selected. */
export const LOGINS: readonly [Login, ...Login[]] = [
  {
    key: 'marie',
    person: 'Marie Tremblay, CPA',
    email: 'marie@tremblay-cpa.example',
    realmIds: ['4620816365200000101', '4620816365200000202'],
  },
  { key: 'dale', person: 'Dale Weaver', email: 'dale@buckeye-contracting.example', realmIds: ['4620816365200000202'] },
  { key: 'load', person: 'Load test', email: 'load@giant-holdings.example', realmIds: [GIANT_REALM] },
]

export function findCompany(realmId: string): Company | null {
  return COMPANIES.find((company) => company.realmId === realmId) ?? null
}
