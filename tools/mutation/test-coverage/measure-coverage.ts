import { globSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startVitest } from 'vitest/node'
import { isTooSlow } from '../nearest-tests.ts'
import { keepTestDurations } from '../test-durations.ts'
import { keepCoverageMap, type TestCoverage, toCoverageMap } from './coverage-map.ts'

/** Long tests that call nearly everything, of which little would follow; they are chosen by their names and words still. */
const BROAD = /^test\/(conformance|freshness|limits|live|reconnect|refresh|source-keys)\//
const ROOT = join(import.meta.dirname, '..', '..', '..')

/** Runs every test file that may judge mutants once, and keeps which declarations it calls and how long it takes. */
export async function measureCoverage(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'mutation-coverage-'))
  const notes = join(folder, 'notes')
  await writeFile(notes, '')
  process.env.COVERAGE_NOTES = notes
  try {
    const tests = globSync('{src,simulators,test}/**/*.test.ts', { cwd: ROOT }).filter((file) => !isTooSlow(file) && !BROAD.test(file))
    const setup = join(import.meta.dirname, 'note-coverage.ts')
    const vitest = await startVitest('test', tests, { root: ROOT, watch: false, setupFiles: [setup], reporters: ['dot'] })
    await vitest.close()
    // A test that fails is no judge, which a mutation run finds out by itself.
    process.exitCode = 0
    const coverages = (await readFile(notes, 'utf8')).split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as TestCoverage]))
    keepCoverageMap(toCoverageMap(coverages))
    keepTestDurations(new Map(coverages.map(({ test, durationMs }) => [test, durationMs])))
  } finally {
    await rm(folder, { recursive: true })
  }
}
