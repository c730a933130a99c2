import { type ExecException, exec, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { Secret } from '../../model/values/secret.ts'

const run = promisify(exec)

const TIMEOUT_MS = 10_000
const MAX_BYTES = 1024 * 1024

/** Content of a secret’s file, without the line end that editors add. */
export function readSecretFile(path: string, setting: string): Secret {
  try {
    return new Secret(readFileSync(path, 'utf8').replace(/\r?\n$/, ''))
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? ` (${error.code})` : ''
    throw new Error(`${setting}: ${path} cannot be read${code}`, { cause: error })
  }
}

/**
 * Output of a shell command, without the last line end; it has 10 s. Synchronous, because a key may be needed in the
 * middle of synchronous work. Its error output is passed on; its output is never shown.
 */
export function readSecretCommand(command: string, setting: string, timeoutMs = TIMEOUT_MS): Secret {
  const ended = spawnSync(command, {
    shell: true,
    timeout: timeoutMs,
    maxBuffer: MAX_BYTES,
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
  })
  const how = ended.error ? ended.error.message : ended.signal !== null ? `ended by ${ended.signal}` : `exit code ${ended.status}`
  if (ended.error || ended.status !== 0) throw new Error(`${setting}: the command failed: ${how}`)
  return new Secret(ended.stdout.replace(/\r?\n$/, ''))
}

/** The same while the process goes on working: for secrets that are read again and again. Its error output is not shown. */
export async function askSecretCommand(command: string, setting: string, timeoutMs = TIMEOUT_MS): Promise<Secret> {
  try {
    const { stdout } = await run(command, { timeout: timeoutMs, maxBuffer: MAX_BYTES })
    return new Secret(stdout.replace(/\r?\n$/, ''))
  } catch (error) {
    // Its message and properties hold the command and what it printed.
    const { signal, code } = error as ExecException
    throw new Error(`${setting}: the command failed: ${signal ? `ended by ${signal}` : `exit code ${code}`}`)
  }
}
