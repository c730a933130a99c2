import { buildDirectory } from '../../kit/data/institutions.ts'

export interface Institution {
  id: number
  en: string
  fr: string
  isEnabled: boolean
}

/** Bank of the shared sandbox. Source: https://docs.flinks.com */
const FLINKS_CAPITAL = 14

const BILINGUAL: readonly (readonly [string, string])[] = [
  ['Boreal Bank of Canada', 'Banque Boréale du Canada'],
  ['Laurier National', 'Nationale Laurier'],
  ['Maple Shield Trust', 'Fiducie Bouclier d’Érable'],
  ['Caisse Rive-Nord', 'Caisse Rive-Nord'],
  ['Harbourfront Credit Union', 'Coopérative de crédit du Vieux-Port'],
  ['Prairie Wheat Bank', 'Banque des Prairies'],
]

export function institutionsOf(seed: number, count: number): Institution[] {
  const made = buildDirectory(seed, count * 3)
    .filter(({ country }) => country === 'CA')
    .map(({ name }): readonly [string, string] => [name, name.startsWith('Caisse') ? name : `Institution ${name}`])
  const names = [...BILINGUAL, ...made].slice(0, Math.max(1, count - 1))
  const listed = names.map(([en, fr], index) => {
    const id = index + 1 < FLINKS_CAPITAL ? index + 1 : index + 2
    return { id, en, fr, isEnabled: index % 29 !== 28 }
  })
  return [...listed, { id: FLINKS_CAPITAL, en: 'FlinksCapital', fr: 'FlinksCapital', isEnabled: true }].sort((a, b) => a.id - b.id)
}

export function institutionView({ id, en, fr, isEnabled }: Institution): Record<string, unknown> {
  const url = `https://www.banque-${id}.example`
  const localizations = [
    { Language: 'fr', Name: fr, Urls: [{ Type: 'Main', Url: `${url}/fr` }] },
    { Language: 'en', Name: en, Urls: [{ Type: 'Main', Url: url }] },
  ]
  return { Id: id, Localizations: localizations, Status: isEnabled ? 'Enabled' : 'Disabled', Country: 'CA' }
}
