import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { TestReporter } from './tools/test-reporter.ts'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'simulators/**/*.test.ts', 'test/**/*.test.ts', 'tools/**/*.test.ts'],
    globalSetup: ['test/global-setup.ts'],
    pool: 'forks',
    maxWorkers: 2,
    reporters: ['default', new TestReporter()],
    // For the processes that tests start, as in main.ts.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules', '.cache', 'compiled') },
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
})
