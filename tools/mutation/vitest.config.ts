import { defineConfig } from 'vitest/config'
import { FailedHooks } from './failed-hooks.ts'

/** Like vitest.config.ts, for one worker and the named tests, which run once for each mutant. */
export default defineConfig({
  test: {
    include: (process.env.MUTATION_TESTS ?? '').split(',').filter((file) => file !== ''),
    globalSetup: ['test/harness/global-setup.ts'],
    pool: 'forks',
    maxWorkers: 1,
    reporters: [new FailedHooks()],
    isolate: false,
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // The first run, without a mutant, may meet a busy machine; hanging mutants are ended by Stryker.
    testTimeout: 300_000,
    hookTimeout: 120_000,
  },
})
