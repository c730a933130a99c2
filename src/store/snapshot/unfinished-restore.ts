import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { hasCode } from '../../model/error-code.ts'
import { writeDurably } from '../keys/durable-file.ts'

/** File in DATA_DIR while a restore into it is not finished; its content is the id of the backup. */
const NAME = 'restore-unfinished'

/** Throws when a restore into this folder was begun and not finished. */
export async function refuseUnfinishedRestore(dataDir: string): Promise<void> {
  if ((await findUnfinishedRestore(dataDir)) === null) return
  throw new Error(
    `a restore into ${dataDir} was begun and not finished; run countinghouse restore with the same file again, which completes it`,
  )
}

/** Id of the backup; null: no restore is unfinished. */
export async function findUnfinishedRestore(dataDir: string): Promise<string | null> {
  try {
    return (await readFile(join(dataDir, NAME), 'utf8')).trim()
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return null
    throw error
  }
}

export async function markUnfinishedRestore(dataDir: string, backupId: string): Promise<void> {
  await writeDurably(join(dataDir, NAME), `${backupId}\n`)
}

export async function endUnfinishedRestore(dataDir: string): Promise<void> {
  await rm(join(dataDir, NAME), { force: true })
}
