import { BOW_VALLEY_CHART, BOW_VALLEY_ROUTINES } from './chart-bow-valley.ts'
import { SAINT_BONIFACE_CHART, SAINT_BONIFACE_ROUTINES } from './chart-saint-boniface.ts'
import type { Routine } from './routine.ts'

export interface Organisation {
  tenantId: string
  name: string
  legalName: string
  place: string
  currency: string
  countryCode: string
  lineOfBusiness: string
  /** Rows of text (format in chart.ts); null: generated, as many as the options say. */
  chart: string | null
  routines: readonly Routine[]
  /** Number of months with journals; the last is June 2026. */
  months: number
}

export const ORGANISATIONS: readonly Organisation[] = [
  {
    tenantId: 'b0de4d4b-5f6a-4c71-9a3e-000000000101',
    name: 'Bow Valley Dental',
    legalName: 'Bow Valley Dental Professional Corporation',
    place: 'Calgary',
    currency: 'CAD',
    countryCode: 'CA',
    lineOfBusiness: 'Dental practice',
    chart: BOW_VALLEY_CHART,
    routines: BOW_VALLEY_ROUTINES,
    months: 40,
  },
  {
    tenantId: 'b0de4d4b-5f6a-4c71-9a3e-000000000202',
    name: 'Physio Saint-Boniface',
    legalName: 'Clinique de physiothérapie Saint-Boniface inc.',
    place: 'Winnipeg',
    currency: 'CAD',
    countryCode: 'CA',
    lineOfBusiness: 'Physiotherapy',
    chart: SAINT_BONIFACE_CHART,
    routines: SAINT_BONIFACE_ROUTINES,
    months: 12,
  },
  {
    tenantId: 'b0de4d4b-5f6a-4c71-9a3e-000000009999',
    name: 'Giant Holdings',
    legalName: 'Giant Holdings Corp.',
    place: 'Wilmington',
    currency: 'USD',
    countryCode: 'US',
    lineOfBusiness: 'Load testing',
    chart: null,
    routines: [],
    months: 0,
  },
]

/** A tenant that is not an organisation: the practice of an accountant. */
export const PRACTICE = { tenantId: 'b0de4d4b-5f6a-4c71-9a3e-000000000707', name: 'Raman CPA' }

export interface Login {
  key: string
  person: string
  email: string
  tenantIds: readonly string[]
  /** Whether the user's practice is always among the connections. */
  hasPractice: boolean
}

/** Logins on the consent page; the first is signed in until another is selected. */
export const LOGINS: readonly [Login, ...Login[]] = [
  {
    key: 'priya',
    person: 'Priya Raman, CPA',
    email: 'priya@raman-cpa.example',
    tenantIds: ['b0de4d4b-5f6a-4c71-9a3e-000000000101', 'b0de4d4b-5f6a-4c71-9a3e-000000000202'],
    hasPractice: true,
  },
  {
    key: 'nadia',
    person: 'Dr. Nadia Haddad',
    email: 'nadia@bow-valley-dental.example',
    tenantIds: ['b0de4d4b-5f6a-4c71-9a3e-000000000101'],
    hasPractice: false,
  },
  { key: 'sam', person: 'Sam Newcomer', email: 'sam@newcomer.example', tenantIds: [], hasPractice: false },
  {
    key: 'load',
    person: 'Load test',
    email: 'load@giant-holdings.example',
    tenantIds: ['b0de4d4b-5f6a-4c71-9a3e-000000009999'],
    hasPractice: false,
  },
]

/** Throws for an unknown tenant. */
export function getOrganisation(tenantId: string): Organisation {
  const organisation = ORGANISATIONS.find((each) => each.tenantId === tenantId)
  if (!organisation) throw new Error(`unknown organisation ${tenantId}; known: ${ORGANISATIONS.map((each) => each.tenantId).join(', ')}`)
  return organisation
}
