import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './tools/test-order.ts'
import { TestReporter } from './tools/test-reporter.ts'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'simulators/**/*.test.ts', 'test/**/*.test.ts', 'tools/**/*.test.ts'],
    globalSetup: ['test/harness/global-setup.ts'],
    setupFiles: ['tools/real-timers.ts'],
    pool: 'forks',
    // One more than CI has processors: some tests wait for a source's clock.
    maxWorkers: 3,
    // The files that a worker runs share its modules: to load them again for each took longer than most tests. A test leaves nothing behind in a module.
    isolate: false,
    // Node reads the code itself, as it does in production; nothing of ours is mocked.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    sequence: { sequencer: LongestFirst },
    reporters: ['default', new TestReporter()],
    // For the processes that tests start, as in main.ts.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules', '.cache', 'compiled') },
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
})
