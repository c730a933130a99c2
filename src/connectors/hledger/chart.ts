import type { AccountWire, EntryWire, PostingWire } from './wire.ts'

/** Account data in the responses of one fetch, besides the names. */
export interface ChartSources {
  /** Every account with its parents, declared or used. */
  names: readonly string[]
  /** Declared `type:` tag by account, where the server includes it. */
  declared: ReadonlyMap<string, string>
  entries: readonly EntryWire[]
}

/**
 * One record per account. Types in hledger's own order: declared for the account, for its nearest parent, else derived
 * from the name.
 */
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
 * Types from posting tags: servers before 1.32 hide declarations, but every posting has the tags of its account and
 * then those of the parents. Returns the types of each account with postings, nearest first.
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

/**
 * Types of related accounts: older servers show no declaration for an account without postings, but perhaps for those
 * below or around it.
 */
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

/** Account with its parents: `a:b:c` becomes `a:b:c`, `a:b`, `a`. */
function withParents(name: string): string[] {
  const parts = name.split(':')
  return parts.map((_, index) => parts.slice(0, parts.length - index).join(':'))
}
