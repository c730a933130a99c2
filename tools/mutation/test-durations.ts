import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { hasCode } from '../../src/model/error-code.ts'

const RECORD = join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'mutation-durations.json')

/** How long test files took without a mutant, in milliseconds, by path; empty where none has run yet. */
export function readTestDurations(record = RECORD): Map<string, number> {
  try {
    return new Map(Object.entries(JSON.parse(readFileSync(record, 'utf8')) as Record<string, number>))
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return new Map()
    throw error
  }
}

/** Keeps the newest duration of each of these files beside those of earlier runs. */
export function keepTestDurations(durations: ReadonlyMap<string, number>, record = RECORD): void {
  mkdirSync(dirname(record), { recursive: true })
  writeFileSync(record, JSON.stringify(Object.fromEntries([...readTestDurations(record), ...durations].sort())))
}
