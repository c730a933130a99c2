import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** Name of a backup by its time, so that names are in the order of age. */
const NAME = /^countinghouse-\d{8}T\d{6}Z\.backup$/

/** Path of a new backup in a folder of them. */
export function pathIn(folder: string, at: Date): string {
  return join(folder, `countinghouse-${at.toISOString().replace(/\.\d+|[-:]/g, '')}.backup`)
}

/** Deletes all backups of a folder but the newest `keep`, and nothing else; returns the paths of those deleted. */
export async function deleteOlder(folder: string, keep: number): Promise<string[]> {
  const names = (await readdir(folder)).filter((name) => NAME.test(name)).sort()
  const older = names.slice(0, Math.max(0, names.length - keep)).map((name) => join(folder, name))
  for (const path of older) await rm(path)
  return older
}
