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
    if (!this.#vitest || fingerprint === null || reason === 'interrupted' || errors.length > 0) return
    if (this.#vitest.config.testNamePattern || modules.length !== (await this.#vitest.globTestSpecifications()).length) return
    // Files changed during the run were only partly tested.
    if ((await fingerprintOfTree()) !== fingerprint) return
    const { root } = this.#vitest.config
    const tests = modules.reduce((sum, module) => sum + [...module.children.allTests('passed')].length, 0)
    const run = { fingerprint, files: modules.length, tests, at: new Date().toISOString() }
    if (reason === 'passed') return await keepPassedRun(run)
    await keepFailedRun({ ...run, failed: modules.filter((module) => !module.ok()).map(({ moduleId }) => relative(root, moduleId)) })
  }
}
