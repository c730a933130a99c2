import { buildDirectory } from '../../kit/data/institutions.ts'

export interface Provider {
  id: number
  name: string
  country: string
  language: string
  url: string
  status: 'Supported' | 'Beta' | 'Unsupported'
  /** Number of accounts per login. */
  size: 'usual' | 'giant'
}

/** The bank with thousands of accounts; a Canadian and an American bank that are always in the directory. */
export const GIANT_BANK = 16_999
export const CAISSE = 16_441
export const DAG_BANK = 16_442

/** Providers in directory order, deterministic in the seed. */
export function buildProviders(seed: number, count: number): Provider[] {
  const own: Provider[] = [
    provider(CAISSE, 'Caisse du Vieux-Longueuil', 'CA', 'FR'),
    provider(DAG_BANK, 'Dag Site', 'US', 'EN'),
    { ...provider(GIANT_BANK, 'Banque Grands Comptes', 'CA', 'FR'), size: 'giant' },
    provider(16_443, 'Southern Cross Mutual', 'AU', 'EN'),
    { ...provider(16_444, 'Closed Down Savings', 'US', 'EN'), status: 'Unsupported' },
  ]
  const others = buildDirectory(seed, Math.max(0, count - own.length)).map(({ name, country, url }, index) => ({
    ...provider(20_000 + index, name, country, 'EN'),
    url,
  }))
  return [...own, ...others]
}

function provider(id: number, name: string, country: string, language: string): Provider {
  return { id, name, country, language, url: `https://www.bank-${id}.example`, status: 'Supported', size: 'usual' }
}
