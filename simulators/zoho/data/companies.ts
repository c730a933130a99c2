import { getLoginByKey } from '../../kit/ledger-simulator.ts'
import { LANTERN_CHART, LANTERN_ROUTINES } from './chart-lantern.ts'
import { LUCIOLE_CHART, LUCIOLE_ROUTINES } from './chart-luciole.ts'
import type { Routine } from './routine.ts'

export interface Organization {
  id: string
  name: string
  email: string
  currency: string
  symbol: string
  language: string
  /** UTC offset of its local time. */
  offset: string
  /** Rows of text (format in chart.ts); null: generated, as many as the options say. */
  chart: string | null
  routines: readonly Routine[]
  /** Currencies of bank accounts in a foreign currency, by account code. */
  foreign?: Readonly<Record<string, string>>
  /** Number of months with journals; the last is June 2026. */
  months: number
  /** Whether it has no rate limits, for load tests. */
  isFree: boolean
}

const LANTERN = '782340101'
const LUCIOLE = '782340202'
const GIANT = '782349999'

export const ORGANIZATIONS: readonly Organization[] = [
  {
    id: LANTERN,
    name: 'Lantern & Loom Goods',
    email: 'books@lantern-loom.example',
    currency: 'CAD',
    symbol: '$',
    language: 'en',
    offset: '-0700',
    chart: LANTERN_CHART,
    routines: LANTERN_ROUTINES,
    foreign: { '1020': 'USD', '1021': 'MXN' },
    months: 15,
    isFree: false,
  },
  {
    id: LUCIOLE,
    name: 'Atelier Luciole',
    email: 'compta@atelier-luciole.example',
    currency: 'EUR',
    symbol: '€',
    language: 'fr',
    offset: '+0200',
    chart: LUCIOLE_CHART,
    routines: LUCIOLE_ROUTINES,
    months: 6,
    isFree: false,
  },
  {
    id: GIANT,
    name: 'Giant Holdings',
    email: 'load@giant-holdings.example',
    currency: 'USD',
    symbol: '$',
    language: 'en',
    offset: '-0400',
    chart: null,
    routines: [],
    months: 0,
    isFree: true,
  },
]

export interface Login {
  key: string
  person: string
  email: string
  /** Data centre of the user. */
  location: string
  organizationIds: readonly string[]
}

/** Logins on the consent page; the first is signed in until another is selected. */
export const LOGINS: readonly [Login, ...Login[]] = [
  { key: 'mei', person: 'Mei-Ling Chan', email: 'mei@lantern-loom.example', location: 'ca', organizationIds: [LANTERN, LUCIOLE] },
  { key: 'jonas', person: 'Jonas Brandt', email: 'jonas@atelier-luciole.example', location: 'eu', organizationIds: [LUCIOLE] },
  { key: 'ines', person: 'Inês Carvalho', email: 'ines@lantern-loom.example', location: 'us', organizationIds: [LANTERN] },
  { key: 'sam', person: 'Sam Newcomer', email: 'sam@newcomer.example', location: 'us', organizationIds: [] },
  { key: 'load', person: 'Load test', email: 'load@giant-holdings.example', location: 'us', organizationIds: [GIANT] },
]

export function getLogin(key: string): Login {
  return getLoginByKey(LOGINS, key)
}

/** Throws for an unknown id. */
export function getOrganization(id: string): Organization {
  const organization = ORGANIZATIONS.find((each) => each.id === id)
  if (!organization) throw new Error(`unknown organization ${id}; known: ${ORGANIZATIONS.map((each) => each.id).join(', ')}`)
  return organization
}
