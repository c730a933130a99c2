type Level = 'classSystem' | 'typeSystem' | 'subTypeSystem'

/** Account as the chart of accounts needs it. */
export type ChartAccount = Readonly<Record<'id' | 'number' | 'name' | Level, string>>

export interface Branch {
  name: string
  /** Accounts in it and in all branches below. */
  count: number
  branches: Branch[]
  accounts: ChartAccount[]
}

/** Groups accounts by class, type and subtype, in order of appearance; an empty level is skipped. */
export function buildTree(
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
  return { name, count: members.length, branches: isLeaf ? [] : buildTree(members, levels), accounts: isLeaf ? members : [] }
}
