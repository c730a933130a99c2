import { type Kit, SourceError } from '../contract/contract.ts'

/**
 * Data centres of Zoho by their `location` value, with our host names. An account belongs to one, and its tokens are
 * valid there only.
 * Source: https://www.zoho.com/books/api/v3/introduction/#multiple-data-centers
 */
const CENTRES = {
  us: { accounts: 'accounts', api: 'api' },
  ca: { accounts: 'accountsCa', api: 'apiCa' },
  eu: { accounts: 'accountsEu', api: 'apiEu' },
  uk: { accounts: 'accountsUk', api: 'apiUk' },
  in: { accounts: 'accountsIn', api: 'apiIn' },
  au: { accounts: 'accountsAu', api: 'apiAu' },
  jp: { accounts: 'accountsJp', api: 'apiJp' },
  sa: { accounts: 'accountsSa', api: 'apiSa' },
  cn: { accounts: 'accountsCn', api: 'apiCn' },
} as const
export type DataCentre = keyof typeof CENTRES

const CODES = Object.keys(CENTRES).filter(isDataCentre)

export function isDataCentre(word: string): word is DataCentre {
  return Object.hasOwn(CENTRES, word)
}

/** Address of a data centre's sign-in (`accounts`) or API; throws `badData` when the operator has removed it. */
export function hostOf(kit: Kit, centre: DataCentre, kind: 'accounts' | 'api'): string {
  const host = kit.hosts[CENTRES[centre][kind]]
  if (!host) throw new SourceError('badData', `no address is known for ${kind} of the data centre "${centre}"`)
  return host
}

/**
 * Data centre named in a callback or response by its address and its `location` (`word`). NOTE The app's secret is sent
 * there next, so only an address in our list is accepted. Where several share an address, `word` decides.
 */
export function findDataCentre(kit: Kit, kind: 'accounts' | 'api', address: string | undefined, word: string | undefined): DataCentre {
  const code = word !== undefined && isDataCentre(word) ? word : null
  if (!address) {
    if (word === undefined || word === '') return 'us'
    if (code !== null) return code
    throw new SourceError('badData', 'Zoho named a data centre that is not known here')
  }
  const origin = originOf(address)
  const there = CODES.filter((each) => origin !== null && originOf(kit.hosts[CENTRES[each][kind]] ?? '') === origin)
  const found = there.find((each) => each === code) ?? there[0]
  if (found === undefined) throw new SourceError('badData', 'Zoho named an address that is none of its known data centres')
  return found
}

function originOf(address: string): string | null {
  return URL.canParse(address) ? new URL(address).origin : null
}
