import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { listFaults, type Profile } from './profile.ts'

/** All faults of all files together. */
export class ProfileFaults extends Error {
  /** One line per fault. */
  readonly faults: readonly string[]

  constructor(faults: readonly string[]) {
    super(['these bank profiles cannot be used:', ...faults.map((fault) => `  ${fault}`)].join('\n'))
    this.name = 'ProfileFaults'
    this.faults = faults
  }
}

/**
 * Profiles of a folder (`*.json`), in the order of their names. Throws `ProfileFaults` with all faults of all profiles.
 */
export function readProfiles(folder: string): Profile[] {
  const faults: string[] = []
  const profiles: Profile[] = []
  for (const file of listFiles(folder)) {
    const value = readJson(join(folder, file))
    const found = value === undefined ? ['is not JSON'] : listFaults(basename(file, '.json'), value)
    if (found.length === 0) profiles.push(value as Profile)
    faults.push(...found.map((fault) => `${join(folder, file)}: ${fault}`))
  }
  if (faults.length > 0) throw new ProfileFaults(faults)
  return profiles
}

function listFiles(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .sort()
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'no code'
    throw new ProfileFaults([`${folder}: the folder cannot be read (${code})`])
  }
}

/** Parsed JSON; undefined for invalid JSON. */
function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
