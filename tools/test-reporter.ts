import { relative } from 'node:path'
import type { Reporter, TestModule, TestRunEndReason, Vitest } from 'vitest/node'
import { fingerprintOfTree, keepFailedRun, keepPassedRun } from './test-record.ts'

/**
 * Records for `npm run check` that exactly these files have been tested, and for `npm run test-again` which failed.
 * Only with CI true, where a test skipped for lack of a program fails, and `.only` is refused.
 */
export class TestReporter implements Reporter {
  #vitest: Vitest | undefined
  #before: Promise<string | null> = Promise.resolve(null)

  onInit(vitest: Vitest): void {
    this.#vitest = vitest
    if (process.env.CI === 'true') this.#before = fingerprintOfTree()
  }

  async onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[], reason: TestRunEndReason): Promise<void> {
    const fingerprint = await this.#before
    if (!this.#vitest || fingerprint === null || reason === 'interrupted') return
    if (this.#vitest.config.testNamePattern || modules.length !== (await this.#vitest.globTestSpecifications()).length) return
    // Files changed during the run were only partly tested.
    if ((await fingerprintOfTree()) !== fingerprint) return
    const { root } = this.#vitest.config
    const tests = modules.reduce((sum, module) => sum + [...module.children.allTests('passed')].length, 0)
    const run = { fingerprint, files: modules.length, tests, at: new Date().toISOString() }
    if (reason === 'passed' && errors.length === 0) return await keepPassedRun(run)
    const failed = listFailedFiles(modules, errors)
    if (failed) await keepFailedRun({ ...run, failed: failed.map((file) => relative(root, file)) })
  }
}

type FinishedModule = Pick<TestModule, 'moduleId' | 'ok'>

/**
 * Paths of the files that failed, also by an error outside their tests, such as a rejected promise that nothing awaited.
 * Null if an error cannot be attributed to a file.
 */
export function listFailedFiles(modules: readonly FinishedModule[], errors: readonly unknown[]): string[] | null {
  const failed = new Set(modules.filter((module) => !module.ok()).map(({ moduleId }) => moduleId))
  for (const error of errors) {
    // Source: Vitest, which names the file that ran when it caught the error.
    const path = error instanceof Object && 'VITEST_TEST_PATH' in error ? error.VITEST_TEST_PATH : undefined
    if (typeof path !== 'string') return null
    failed.add(path)
  }
  return [...failed]
}
