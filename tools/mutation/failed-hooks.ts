import type { RunnerTestSuite, TestError } from 'vitest'
import type { Reporter, Vitest } from 'vitest/node'

/**
 * Lets the tests after a failed `beforeAll` fail as well. Vitest skips them, and Stryker counts a mutant by which no test
 * fails as one that nothing noticed.
 * Source: `convertTestToTestResult` in @stryker-mutator/vitest-runner, which looks at suites above a test, but not at its file
 */
export class FailedHooks implements Reporter {
  #vitest: Vitest | null = null

  onInit(vitest: Vitest): void {
    this.#vitest = vitest
  }

  onTestRunEnd(): void {
    for (const file of this.#vitest?.state.getFiles() ?? []) failSkipped(file, [])
  }
}

/** `above`: errors of the hooks around it. */
function failSkipped({ tasks, result }: RunnerTestSuite, above: readonly TestError[]): void {
  const errors = [...above, ...(result?.errors ?? [])]
  for (const task of tasks) {
    if (task.type === 'suite') failSkipped(task, errors)
    else if (errors.length > 0 && (task.result?.state ?? 'skip') === 'skip') {
      task.mode = 'run'
      task.result = { state: 'fail', errors }
    }
  }
}
