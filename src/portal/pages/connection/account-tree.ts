type Level = 'classSystem' | 'typeSystem' | 'subTypeSystem'

/** What a chart of accounts shows of an account. */
export type ChartAccount = Readonly<Record<'id' | 'number' | 'name' | Level, string>>

export interface Branch {
  name: string
  /** Accounts on it and on all branches of it. */
  count: number
  branches: Branch[]
  accounts: ChartAccount[]
}

/** Orders accounts by class, type and subtype, each in the order in which it first appears; a level without a word is passed over. */
export function growTree(
  accounts: readonly ChartAccount[],
  levels: readonly Level[] = ['classSystem', 'typeSystem', 'subTypeSystem'],
): Branch[] {
  const [level, ...below] = levels
  if (level === undefined) return []
  return [...Map.groupBy(accounts, (account) => account[level])].map(([name, members]) => grow(name || '—', members, below))
}

function grow(name: string, members: ChartAccount[], levels: readonly Level[]): Branch {
  const [level] = levels
  const isLeaf = level === undefined || members.every((account) => account[level] === '' || account[level] === name)
  return { name, count: members.length, branches: isLeaf ? [] : growTree(members, levels), accounts: isLeaf ? members : [] }
}
