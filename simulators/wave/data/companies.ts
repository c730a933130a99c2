import { getLoginByKey } from '../../kit/ledger-simulator.ts'
import { BOW_VALLEY_CHART } from './chart-bow-valley.ts'
import { ERABLE_CHART } from './chart-erable.ts'

export interface Business {
  uuid: string
  /** Base64 of `Business:<uuid>`, as in the API. */
  id: string
  name: string
  place: string
  currency: string
  isArchived: boolean
  /** Rows of text (format in chart.ts); null: generated, as many as the options say. */
  chart: string | null
}

const ERABLE = toBusiness('3f6c1d52-0001-4000-8000-000000000001', 'Boutique Érable & Lin', 'Québec', ERABLE_CHART)
const BOW_VALLEY = toBusiness('3f6c1d52-0002-4000-8000-000000000002', 'Bow Valley Dental', 'Calgary', BOW_VALLEY_CHART)
const FORMER = { ...toBusiness('3f6c1d52-0003-4000-8000-000000000003', 'Ancienne boutique', 'Québec', ERABLE_CHART), isArchived: true }
/** Business of the load test; its number of accounts is an option. */
const GIANT = toBusiness('3f6c1d52-0009-4000-8000-000000000009', 'Giant Holdings', 'Wilmington', null)

const BUSINESSES: readonly Business[] = [ERABLE, BOW_VALLEY, FORMER, GIANT]

function toBusiness(uuid: string, name: string, place: string, chart: string | null): Business {
  const id = Buffer.from(`Business:${uuid}`).toString('base64')
  return { uuid, id, name, place, currency: 'CAD', isArchived: false, chart }
}

export interface Login {
  key: string
  person: string
  email: string
  businesses: readonly Business[]
}

/** Logins on the consent page; the first is signed in until another is selected. */
export const LOGINS: readonly [Login, ...Login[]] = [
  {
    key: 'elodie',
    person: 'Élodie Gagnon',
    email: 'elodie@erable-lin.example',
    businesses: [ERABLE, FORMER],
  },
  {
    key: 'priya',
    person: 'Priya Raman, CPA',
    email: 'priya@raman-cpa.example',
    businesses: [BOW_VALLEY, ERABLE],
  },
  { key: 'sam', person: 'Sam Newcomer', email: 'sam@newcomer.example', businesses: [] },
  { key: 'load', person: 'Load test', email: 'load@giant-holdings.example', businesses: [GIANT] },
]

export function getLogin(key: string): Login {
  return getLoginByKey(LOGINS, key)
}

/** Throws for an unknown id. */
export function getBusiness(id: string): Business {
  const business = BUSINESSES.find((each) => each.id === id)
  if (!business) throw new Error(`unknown business ${id}`)
  return business
}
