import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Profile } from './profile.ts'
import { listFaults } from './profile-faults.ts'

/** All faults of all profiles together. */
export class BankApiFaults extends Error {
  override readonly name = 'BankApiFaults'
  /** One line per fault: file, location, text. */
  readonly faults: readonly string[]

  constructor(faults: readonly string[]) {
    super(['these bank API profiles cannot be used:', ...faults.map((fault) => `  ${fault}`)].join('\n'))
    this.faults = faults
  }
}

/**
 * Profiles of a folder (`*.json`), in the order of their names; none when the folder does not exist. Throws
 * `BankApiFaults`.
 */
export function readProfiles(folder: string): Profile[] {
  if (!existsSync(folder)) return []
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'))
  return readProfileFiles(files.sort().map((name) => join(folder, name)))
}

export function readProfileFiles(paths: readonly string[]): Profile[] {
  const read = paths.map((path) => readOne(path))
  const faults = read.flatMap((each) => ('faults' in each ? each.faults : []))
  if (faults.length > 0) throw new BankApiFaults(faults)
  return read.flatMap((each) => ('profile' in each ? [each.profile] : []))
}

function readOne(path: string): { profile: Profile } | { faults: string[] } {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch {
    return { faults: [`${path}: cannot be read`] }
  }
  const parsed = parse(text)
  if ('problem' in parsed) return { faults: [`${path}: ${placeIn(text, lengthReadable(text))}: is not JSON`] }
  const faults = listFaults(basename(path, '.json'), parsed.value).map((fault) => `${path}: ${fault}`)
  return faults.length > 0 ? { faults } : { profile: parsed.value as Profile }
}

function parse(text: string): { value: unknown } | { problem: string } {
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    if (error instanceof SyntaxError) return { problem: error.message }
    throw error
  }
}

/** Length of the valid JSON prefix of a text: the engine does not always report where it stopped. */
function lengthReadable(text: string): number {
  let [good, bad] = [0, text.length + 1]
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2)
    if (isBeginning(text.slice(0, middle))) good = middle
    else bad = middle
  }
  return good
}

function isBeginning(text: string): boolean {
  const parsed = parse(text)
  if ('value' in parsed) return true
  const at = /position (\d+)/.exec(parsed.problem)?.[1]
  return /end of JSON|Unterminated/.test(parsed.problem) || Number(at) === text.length
}

function placeIn(text: string, length: number): string {
  const lines = text.slice(0, length).split('\n')
  return `line ${lines.length}, column ${(lines.at(-1) ?? '').length + 1}`
}
