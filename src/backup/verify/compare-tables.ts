import { openSnapshot } from '../../store/snapshot/open-snapshot.ts'
import { type TableDigest, TableDigester } from '../../store/snapshot/table-digest.ts'
import { isEqual } from '../restore.ts'

export interface ComparedTable {
  name: string
  /** Null if it is not in the backup. */
  inBackup: TableDigest | null
  /** Null if it is not in the deployment. */
  inDeployment: TableDigest | null
  isEqual: boolean
}

/** Digests of all tables of a database at one point in time, beside those that a backup recorded. */
export async function compareTables(
  databaseUrl: string,
  recorded: Readonly<Record<string, TableDigest>>,
  signal: AbortSignal,
): Promise<ComparedTable[]> {
  const found = await digestTables(databaseUrl, signal)
  const names = [...new Set([...Object.keys(recorded), ...Object.keys(found)])].sort()
  return names.map((name) => {
    const [inBackup, inDeployment] = [recorded[name], found[name]]
    const isSame = inDeployment !== undefined && isEqual(inDeployment, inBackup)
    return { name, inBackup: inBackup ?? null, inDeployment: inDeployment ?? null, isEqual: isSame }
  })
}

async function digestTables(databaseUrl: string, signal: AbortSignal): Promise<Record<string, TableDigest>> {
  const snapshot = await openSnapshot(databaseUrl)
  try {
    const digests: Record<string, TableDigest> = {}
    for (const table of snapshot.tables) {
      const digester = new TableDigester()
      for await (const bytes of snapshot.readTable(table)) {
        signal.throwIfAborted()
        digester.push(bytes)
      }
      digests[table.name] = digester.end()
    }
    return digests
  } finally {
    await snapshot.close()
  }
}
