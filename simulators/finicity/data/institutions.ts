import { buildDirectory } from '../../kit/data/institutions.ts'

export interface Institution {
  id: number
  name: string
  country: 'US' | 'CA'
  currency: string
  url: string
  transAgg: boolean
  /** Id of the entry that replaces this one. */
  newId: number | null
}

const FIRST_ID = 102_105

export function institutionsOf(seed: number, count: number): Institution[] {
  return buildDirectory(seed, count).map(({ name, country, url, products }, index) => ({
    id: FIRST_ID + index,
    name: index === 0 ? 'FinBank Profiles - A' : name,
    country,
    currency: country === 'CA' ? 'CAD' : 'USD',
    url,
    transAgg: products.includes('transactions'),
    newId: index % 41 === 40 ? FIRST_ID + index - 1 : null,
  }))
}

export function institutionView({ id, name, country, currency, url, transAgg, newId }: Institution): Record<string, unknown> {
  return {
    id,
    name,
    displayName: name,
    transAgg,
    ach: transAgg,
    stateAgg: false,
    voi: false,
    voa: true,
    aha: false,
    availBalance: false,
    accountOwner: true,
    accountTypeDescription: 'Banking',
    urlHomeApp: url,
    urlLogonApp: `${url}/login`,
    oauthEnabled: id % 3 === 0,
    address: { city: 'Springfield', state: country === 'CA' ? 'QC' : 'VT', country: country === 'CA' ? 'CAN' : 'USA' },
    currency,
    status: 'online',
    ...(newId === null ? {} : { newInstitutionId: newId }),
  }
}
