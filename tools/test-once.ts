import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fingerprintOfTree, readPassedRun } from './test-record.ts'

/** Runs all tests, unless a full run on exactly this tree has passed with CI true: `.ci/run` tests a tree once. */
async function main(): Promise<void> {
  const passed = await readPassedRun()
  if (process.env.CI === 'true' && passed && passed.fingerprint === (await fingerprintOfTree())) {
    process.stdout.write(
      `Tests: ${passed.tests} in ${passed.files} files passed at ${passed.at} on exactly this tree; not run a second time (npm test does).\n`,
    )
    return
  }
  const vitest = join(import.meta.dirname, '..', 'node_modules', 'vitest', 'vitest.mjs')
  const child = spawn(process.execPath, [vitest, 'run'], { stdio: 'inherit' })
  const [code] = await once(child, 'exit')
  process.exitCode = code === 0 ? 0 : 1
}

await main()
