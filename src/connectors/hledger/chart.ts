import type { AccountWire, EntryWire, PostingWire } from './wire.ts'

/** What the answers of one fetch say about accounts besides their names. */
export interface ChartSources {
  /** Every account with its parents, declared or used. */
  names: readonly string[]
  /** The value of the declared `type:` tag by account, where the server tells. */
  declared: ReadonlyMap<string, string>
  entries: readonly EntryWire[]
}

/** One record per account. Types follow hledger's own order: declared for the account, for its nearest parent, else left to the name. */
export function toAccounts({ names, declared, entries }: ChartSources): AccountWire[] {
  const postings = entries.flatMap((entry) => entry.tpostings)
  const tagged = readTaggedTypes(postings)
  const commodities = countCommodities(postings)
  return names.map((aname) => ({
    aname,
    type: findDeclared(aname, declared) ?? tagged.get(aname)?.[0] ?? null,
    typeNearby: findNearby(aname, tagged),
    commodity: findLeader(commodities.get(aname)),
  }))
}

function findDeclared(name: string, declared: ReadonlyMap<string, string>): string | null {
  return withParents(name).reduce<string | null>((found, each) => found ?? declared.get(each) ?? null, null)
}

/**
 * Servers before 1.32 hide declarations, but every posting carries the tags of its account and then those of the parents. Gives the
 * types of each account that has postings, nearest first.
 */
function readTaggedTypes(postings: readonly PostingWire[]): Map<string, string[]> {
  const types = new Map<string, string[]>()
  for (const { paccount, ptags, pcomment } of postings) {
    if (types.has(paccount)) continue
    const own = pcomment.match(/(?<![^\s,])type:/g)?.length ?? 0
    const values = ptags.filter(([name]) => name === 'type').map(([, value]) => value)
    types.set(paccount, values.slice(own))
  }
  return types
}

/** An account without postings shows no declaration to older servers; those of the accounts below or around it may tell. */
function findNearby(name: string, tagged: ReadonlyMap<string, readonly string[]>): string | null {
  for (const branch of withParents(name)) {
    const below = [...tagged].filter(([account]) => account.startsWith(`${branch}:`))
    if (below.length === 0) continue
    const topmost = new Set(below.map(([, types]) => types.at(-1)))
    const [only] = topmost
    return topmost.size === 1 && only !== undefined ? only : null
  }
  return null
}

function countCommodities(postings: readonly PostingWire[]): Map<string, Map<string, number>> {
  const counts = new Map<string, Map<string, number>>()
  for (const { paccount, pamount } of postings) {
    for (const name of withParents(paccount)) {
      const count = counts.get(name) ?? new Map<string, number>()
      counts.set(name, count)
      for (const { acommodity } of pamount) count.set(acommodity, (count.get(acommodity) ?? 0) + 1)
    }
  }
  return counts
}

function findLeader(count: ReadonlyMap<string, number> | undefined): string | null {
  const [first, second] = [...(count ?? [])].sort(([, a], [, b]) => b - a)
  return first && (!second || first[1] > second[1]) ? first[0] : null
}

/** `a:b:c` gives `a:b:c`, `a:b`, `a`. */
function withParents(name: string): string[] {
  const parts = name.split(':')
  return parts.map((_, index) => parts.slice(0, parts.length - index).join(':'))
}
