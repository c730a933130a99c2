import { getLoginByKey } from '../../kit/ledger-simulator.ts'
import { BOULANGERIE_CHART, BOULANGERIE_ROUTINES } from './chart-boulangerie.ts'
import { MIQUELON_CHART, MIQUELON_ROUTINES } from './chart-miquelon.ts'
import type { Routine } from './routine.ts'

export interface Business {
  id: string
  name: string
  country: { id: string; displayed_as: string }
  city: string
  currency: { id: string; displayed_as: string }
  /** Rows of text (format in chart.ts); null: generated, as many as the options say. */
  chart: string | null
  routines: readonly Routine[]
  /** Number of months with journals; the last is June 2026. */
  months: number
}

const BAKERY_ID = '0d40342d0287cd6b13555c54afca0001'
const SHOP_ID = '0d40342d0287cd6b13555c54afca0002'
/** Business of the load test; its number of accounts is an option, and it is not rate-limited. */
export const GIANT_ID = '0d40342d0287cd6b13555c54afca0009'

export const BUSINESSES: readonly Business[] = [
  {
    id: BAKERY_ID,
    name: 'Boulangerie La Croûte dorée',
    country: { id: 'CA', displayed_as: 'Canada' },
    city: 'Québec',
    currency: { id: 'CAD', displayed_as: 'Dollar canadien (CAD)' },
    chart: BOULANGERIE_CHART,
    routines: BOULANGERIE_ROUTINES,
    months: 36,
  },
  {
    id: SHOP_ID,
    name: 'Comptoir de l’Île',
    country: { id: 'CA', displayed_as: 'Canada' },
    city: 'Saint-Pierre',
    currency: { id: 'EUR', displayed_as: 'Euro (EUR)' },
    chart: MIQUELON_CHART,
    routines: MIQUELON_ROUTINES,
    months: 12,
  },
  {
    id: GIANT_ID,
    name: 'Giant Holdings',
    country: { id: 'CA', displayed_as: 'Canada' },
    city: 'Toronto',
    currency: { id: 'CAD', displayed_as: 'Canadian Dollar (CAD)' },
    chart: null,
    routines: [],
    months: 0,
  },
]

export interface Login {
  key: string
  person: string
  email: string
  locale: 'en-CA' | 'fr-CA'
  /** The first is the lead business, which is Sage's default. */
  businessIds: readonly string[]
}

/** Logins on the consent page; the first is signed in until another is selected. */
export const LOGINS: readonly [Login, ...Login[]] = [
  { key: 'lucie', person: 'Lucie Gagnon', email: 'lucie@croute-doree.example', locale: 'fr-CA', businessIds: [BAKERY_ID] },
  { key: 'rene', person: 'René Poulin, CPA', email: 'rene@poulin-cpa.example', locale: 'fr-CA', businessIds: [SHOP_ID, BAKERY_ID] },
  { key: 'sam', person: 'Sam Newcomer', email: 'sam@newcomer.example', locale: 'en-CA', businessIds: [] },
  { key: 'load', person: 'Load test', email: 'load@giant-holdings.example', locale: 'en-CA', businessIds: [GIANT_ID] },
]

export function findBusiness(id: string): Business | null {
  return BUSINESSES.find((business) => business.id === id) ?? null
}

export function getLogin(key: string): Login {
  return getLoginByKey(LOGINS, key)
}
