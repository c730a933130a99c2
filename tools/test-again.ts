import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { filesToRunAgain, fingerprintOfTree, keepPassedRun, readFailedRun } from './test-record.ts'

/**
 * `npm run test-again`, for CI: runs the few files that failed beside all others once more, alone. What fails again has
 * failed. What passes is named as flaky: its test, or what it tests, depends on how busy the machine is.
 */
async function main(): Promise<void> {
  process.exitCode = 1
  const run = await readFailedRun()
  const files = filesToRunAgain(run, await fingerprintOfTree())
  if (!run || typeof files === 'string') return print(String(files))
  print(`Once more, alone: ${files.join(', ')}`)
  const vitest = join(import.meta.dirname, '..', 'node_modules', 'vitest', 'vitest.mjs')
  const child = spawn(process.execPath, [vitest, 'run', '--maxWorkers=1', ...files], { stdio: 'inherit' })
  const [code] = await once(child, 'exit')
  if (code !== 0) return print('Failed again.')
  print(`FLAKY: failed beside other tests and passed alone: ${files.join(', ')}`)
  await keepPassedRun(run)
  process.exitCode = 0
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

await main()
