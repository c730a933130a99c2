import { getLoginByKey } from '../../kit/ledger-simulator.ts'
import { CUYAHOGA_CHART } from './chart-cuyahoga.ts'
import { RIVERFRONT_CHART } from './chart-riverfront.ts'

/** FreshBooks identifies a business by three ids; the ledger uses `uuid`. */
export interface Business {
  uuid: string
  id: number
  accountId: string
  name: string
  address: { street: string; city: string; province: string; country: string; postal_code: string }
  timezone: string
  /** Base currency, which the report of the accounts tells. */
  currency: string
  /** Rows of text (format in chart.ts); null: generated, as many as the options say. */
  chart: string | null
}

/** Business of the load test; its number of accounts is an option. */
const GIANT_UUID = '00000009-0000-4000-8000-000000000000'

export const BUSINESSES: readonly Business[] = [
  {
    uuid: '00000001-0000-4000-8000-000000000000',
    id: 8_675_301,
    accountId: 'qKo1ya',
    name: 'Cuyahoga Carpentry & Remodeling',
    address: { street: '3204 Lorain Avenue', city: 'Cleveland', province: 'Ohio', country: 'United States', postal_code: '44113' },
    timezone: 'America/New_York',
    currency: 'USD',
    chart: CUYAHOGA_CHART,
  },
  {
    uuid: '00000002-0000-4000-8000-000000000000',
    id: 8_675_302,
    accountId: 'wRv2ot',
    name: 'Studio Riverfront',
    address: { street: '455, rue Ouellette', city: 'Windsor', province: 'Ontario', country: 'Canada', postal_code: 'N9A 4J2' },
    timezone: 'America/Toronto',
    currency: 'CAD',
    chart: RIVERFRONT_CHART,
  },
  {
    uuid: GIANT_UUID,
    id: 8_675_309,
    accountId: 'gNt9hd',
    name: 'Giant Holdings',
    address: { street: '1 Scale Way', city: 'Wilmington', province: 'Delaware', country: 'United States', postal_code: '19801' },
    timezone: 'America/New_York',
    currency: 'USD',
    chart: null,
  },
]

export interface Login {
  key: string
  person: string
  email: string
  businessUuids: readonly string[]
}

/** Logins on the consent page; the first is signed in until another is selected. */
export const LOGINS: readonly [Login, ...Login[]] = [
  {
    key: 'grace',
    person: 'Grace Kowalski',
    email: 'grace@cuyahoga-carpentry.example',
    businessUuids: ['00000001-0000-4000-8000-000000000000'],
  },
  {
    key: 'nora',
    person: 'Nora Bélanger, CPA',
    email: 'nora@belanger-cpa.example',
    businessUuids: ['00000001-0000-4000-8000-000000000000', '00000002-0000-4000-8000-000000000000'],
  },
  { key: 'sam', person: 'Sam Newcomer', email: 'sam@newcomer.example', businessUuids: [] },
  { key: 'load', person: 'Load test', email: 'load@giant-holdings.example', businessUuids: [GIANT_UUID] },
]

export function findBusiness(uuid: string): Business | null {
  return BUSINESSES.find((business) => business.uuid === uuid) ?? null
}

export function getLogin(key: string): Login {
  return getLoginByKey(LOGINS, key)
}
