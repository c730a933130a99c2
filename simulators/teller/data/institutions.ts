import { hashPick } from '../../kit/random.ts'

const FIRST = ['First', 'Lone Star', 'Great Lakes', 'Cañon', 'San José', 'Harbor', 'Pioneer', 'Île-de-France', 'Summit', 'Évangéline']
const SECOND = ['National Bank', 'Credit Union', 'Savings Bank', 'Trust', 'Community Bank', 'Federal Credit Union']

/** Generated banks with ids in Teller's format: the name in lower case. Tests use the first two. */
export function buildInstitutions(seed: number, count: number): { id: string; name: string; products: string[] }[] {
  const named = ['Peña Valley Bank', 'Giant Holdings Bank']
  const names = Array.from({ length: count }, (_, index) => {
    return named[index] ?? `${hashPick(FIRST, seed, index, 'first')} ${hashPick(SECOND, seed, index, 'second')} ${index}`
  })
  return names.map((name) => ({
    id: name
      .normalize('NFD')
      .replace(/[^A-Za-z0-9 ]/g, '')
      .trim()
      .replaceAll(' ', '_')
      .toLowerCase(),
    name,
    products: ['balance', 'transactions', 'identity', 'verify'],
  }))
}
