import { realpath, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Account } from './account.ts'

/**
 * First folder on the path to `folder`, from the root down, that the account may not enter; null when all are
 * accessible.
 */
export async function findInaccessibleFolder(folder: string, account: Account): Promise<string | null> {
  if (!account.isSwitched) return null
  for (const step of stepsTo(await realpath(folder))) {
    const { mode, uid, gid } = await stat(step)
    const bit = uid === account.uid ? 0o100 : gid === account.gid ? 0o010 : 0o001
    if ((mode & bit) === 0) return step
  }
  return null
}

export async function canEnter(folder: string, account: Account): Promise<boolean> {
  return (await findInaccessibleFolder(folder, account)) === null
}

function stepsTo(folder: string): string[] {
  const parent = dirname(folder)
  return parent === folder ? [folder] : [...stepsTo(parent), folder]
}
