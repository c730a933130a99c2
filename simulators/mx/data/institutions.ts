import { buildDirectory } from '../../kit/data/institutions.ts'

export interface MxInstitution {
  code: string
  name: string
  country: 'US' | 'CA'
  url: string
  isHidden: boolean
  isDisabled: boolean
  /** Number of accounts per login. */
  size: 'usual' | 'giant'
}

/** The bank with thousands of accounts. */
export const GIANT_BANK = 'mx_giant'
/** A Canadian and an American bank that are always in the directory. */
export const CAISSE = 'mx_caisse_plateau'
export const MX_BANK = 'mxbank'

/** Institutions in directory order, deterministic in the seed. */
export function buildInstitutions(seed: number, count: number): MxInstitution[] {
  const own = [
    bank(MX_BANK, 'MX Bank', 'US'),
    bank(CAISSE, 'Caisse du Plateau-Mont-Royal', 'CA'),
    { ...bank(GIANT_BANK, 'Banque Grands Comptes', 'CA'), size: 'giant' as const },
    { ...bank('mx_retired', 'Retired Savings Bank', 'US'), isHidden: true },
    { ...bank('mx_switched_off', 'Off-limits Trust Company', 'US'), isDisabled: true },
  ]
  const others = buildDirectory(seed, Math.max(0, count - own.length)).map(({ id, name, country, url }) => ({
    ...bank(id.replace('ins_', 'mx_'), name, country),
    url,
  }))
  return [...own, ...others]
}

function bank(code: string, name: string, country: MxInstitution['country']): MxInstitution {
  return { code, name, country, url: `https://www.${code.replaceAll('_', '-')}.example`, isHidden: false, isDisabled: false, size: 'usual' }
}
