import type { CoverageData, MutantCoverage } from '@stryker-mutator/api/core'

/** What a test run is told: the mutant to switch on, or null to note which mutants each test reaches. */
export interface MutationRun {
  mutantId: string | null
  /** Whether it is on while modules are loaded, or only for tests and their hooks. */
  isFromStart: boolean
  /** Reached more often than that, it is a loop without an end. */
  hitLimit: number
}

declare module 'vitest' {
  interface TaskMeta {
    mutantCoverage?: MutantCoverage
    hitCount?: number
  }
}

/** Stands for the hooks of a test file among the ids of its tests. */
export const HOOKS = 'hooks'

/** Adds what hooks of a file reach to all of its tests, which judge it together. */
export function spreadHooks(coverage: MutantCoverage, tests: readonly string[]): MutantCoverage {
  const { [HOOKS]: hooks = {}, ...perTest } = coverage.perTest
  return { static: coverage.static, perTest: Object.fromEntries(tests.map((test) => [test, addCounts(perTest[test] ?? {}, hooks)])) }
}

function addCounts(one: CoverageData, other: CoverageData): CoverageData {
  const sum = { ...one }
  for (const [id, count] of Object.entries(other)) sum[id] = (sum[id] ?? 0) + count
  return sum
}
