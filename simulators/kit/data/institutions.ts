import { between, pick, seededRandom } from '../random.ts'

/** A generated bank or credit union. */
export interface SimulatedInstitution {
  id: string
  name: string
  country: 'US' | 'CA'
  products: string[]
  url: string
  color: string
  routingNumbers: string[]
  oauth: boolean
}

const FIRST = ['Amber', 'Briar', 'Clover', 'Dun', 'Elder', 'Fallow', 'Garnet', 'Haller', 'Isen', 'Juniper', 'Kestrel', 'Larch']
const FIRST_MORE = ['Marrow', 'Nettle', 'Osier', 'Pinder', 'Quill', 'Rowan', 'Saddle', 'Tamber', 'Umber', 'Vesper', 'Willet', 'Yarrow']
const LAST = ['fell', 'wick', 'moor', 'stead', 'mere', 'combe', 'garth', 'holt', 'thorpe', 'strand', 'brook', 'ridge']
const LAST_MORE = ['haven', 'field', 'dale', 'ford', 'cross', 'gate', 'march', 'water', 'hollow', 'point', 'shore', 'crest']
const ADJECTIVES = ['Community', 'Heritage', 'Mutual', 'Farmers', 'Merchants', 'Lakeside']
const US_KINDS = ['Bank', 'Federal Credit Union', 'Savings Bank', 'National Bank', 'Trust Company']
const CA_KINDS = ['Credit Union', 'Savings and Credit Union', 'Western Bank', 'Business Bank', 'Co-operative Credit Union']
const CAISSE_OF = ['du Lac', 'de la Rivière', 'du Mont', 'de la Baie', 'des Îles', 'de l’Anse', 'du Vallon', 'de la Pointe']
const CAISSE_NAMES = ['aux Bouleaux', 'Émeraude', 'du Hibou', 'des Fougères', 'Claire', 'aux Renards', 'Dorée', 'du Moulin Vert']

const TOWNS = combine([...FIRST, ...FIRST_MORE], [...LAST, ...LAST_MORE], '')

/** Lower case without accents, for searches. */
export function withoutAccents(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
}

/** Institutions in directory order: about three of five in the US, the others in Canada. Deterministic in the seed. */
export function buildDirectory(seed: number, count: number): SimulatedInstitution[] {
  const names = new Set<string>()
  return Array.from({ length: count }, (_, index) => {
    const roll = seededRandom(seed, 'institution', index)
    const country = index % 5 < 3 ? 'US' : 'CA'
    const name = uniqueName(names, country, roll, index)
    return {
      id: `ins_9${String(index + 1).padStart(5, '0')}`,
      name,
      country,
      products: toProducts(index),
      url: `https://www.${toHostLabel(name)}.example`,
      color: `#${between(roll, 0x103050, 0x9090a0).toString(16).padStart(6, '0')}`,
      routingNumbers: Array.from({ length: between(roll, 1, 3) }, () => toRoutingNumber(country, roll)),
      oauth: index % 4 === 0,
    }
  })
}

/** Some institutions lack liabilities; a few lack transactions and are omitted from answers that require them. */
function toProducts(index: number): string[] {
  if (index % 37 === 36) return ['auth', 'identity']
  return ['auth', 'balance', 'identity', ...(index % 3 === 2 ? [] : ['liabilities']), 'transactions']
}

function uniqueName(taken: Set<string>, country: 'US' | 'CA', roll: () => number, index: number): string {
  for (let attempt = 0; attempt < 200; attempt++) {
    const name = country === 'CA' && index % 5 === 3 && index % 2 === 1 ? caisseName(roll) : townName(country, roll)
    const unique = attempt < 100 ? name : `${name} ${attempt}`
    if (taken.has(unique)) continue
    taken.add(unique)
    return unique
  }
  const name = `Institution ${index}`
  taken.add(name)
  return name
}

function townName(country: 'US' | 'CA', roll: () => number): string {
  const adjective = roll() < 0.7 ? `${pick(roll, ADJECTIVES)} ` : ''
  return `${pick(roll, TOWNS)} ${adjective}${pick(roll, country === 'US' ? US_KINDS : CA_KINDS)}`
}

function caisseName(roll: () => number): string {
  return `Caisse populaire ${pick(roll, CAISSE_OF)} ${pick(roll, CAISSE_NAMES)} (${pick(roll, TOWNS)})`
}

/** Numbers from unassigned ranges: 99… in the US, institution 9xx in Canada. */
function toRoutingNumber(country: 'US' | 'CA', roll: () => number): string {
  const rest = String(between(roll, 0, 99_999)).padStart(5, '0')
  return country === 'US' ? `99${between(roll, 10, 99)}${rest}` : `09${between(roll, 10, 99)}${rest}`
}

function toHostLabel(name: string): string {
  return name
    .normalize('NFD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
}

function combine(left: readonly string[], right: readonly string[], glue: string): string[] {
  return left.flatMap((a) => right.map((b) => `${a}${glue}${b}`))
}
