import type { MutantCoverage } from '@stryker-mutator/api/core'
import type { TestModule, TestRunResult } from 'vitest/node'
import { spreadHooks } from './mutation-run.ts'

/** Result of one run of one test file. */
export interface FileRun {
  tests: { id: string; name: string; durationMs: number }[]
  /** Ids of the tests that failed; all that were to run, if a hook or the file itself failed. */
  failed: string[]
  /** Why: the first test and its message. */
  message: string
  /** What happened outside of tests; null if nothing. */
  fault: string | null
  coverage: MutantCoverage
  hitCount: number
  durationMs: number
}

/** Reads the result of a run of the file at `path`. */
export function toFileRun(path: string, { testModules, unhandledErrors }: TestRunResult): FileRun {
  const module = testModules.find(({ moduleId }) => moduleId === path)
  const unhandled = unhandledErrors.length > 0 ? unhandledErrors.map(textOf).join('\n') : null
  if (!module)
    return { tests: [], failed: [], message: '', fault: unhandled ?? 'no test file', coverage: NOTHING, hitCount: 0, durationMs: 0 }
  const all = [...module.children.allTests()]
  const tests = all.map((test) => ({ id: test.id, name: test.fullName, durationMs: test.diagnostic()?.duration ?? 0 }))
  const around = [module, ...module.children.allSuites()].flatMap((suite) => suite.errors())
  const failures = all.filter((test) => test.result().state === 'failed')
  const [first] = failures
  // A file that cannot be loaded has no test that could fail.
  const fault = unhandled ?? (all.length === 0 && around.length > 0 ? around.map(textOf).join('\n') : null)
  const errors = [...failures.flatMap((test) => test.result().errors ?? []), ...around]
  const { mutantCoverage = NOTHING, hitCount = 0 } = module.meta()
  const ids = tests.map(({ id }) => id)
  return {
    tests,
    failed: failures.length > 0 || around.length === 0 ? failures.map(({ id }) => id) : ids,
    message: `${first ? `${first.fullName}: ` : ''}${errors[0]?.message ?? ''}`,
    fault,
    coverage: spreadHooks(mutantCoverage, ids),
    hitCount,
    durationMs: durationOf(module),
  }
}

const NOTHING: MutantCoverage = { static: {}, perTest: {} }

function durationOf(module: TestModule): number {
  const { collectDuration, setupDuration, duration } = module.diagnostic()
  return collectDuration + setupDuration + duration
}

function textOf(error: unknown): string {
  if (typeof error === 'object' && error !== null && 'message' in error) return String(error.message)
  return String(error)
}
