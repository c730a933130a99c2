import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

const PROMTOOL = '/usr/bin/promtool'

/** True if promtool is missing and its tests may be skipped; with CI set a missing one fails them. */
export const lacksPromtool = !existsSync(PROMTOOL) && process.env.CI !== 'true'
export const promtoolNote = lacksPromtool ? ' (SKIPPED: no promtool on this machine)' : ''

/** Runs promtool; `code` 0 means no problems. */
export function promtool(args: readonly string[], input = ''): { code: number | null; output: string } {
  const { status, stdout, stderr, error } = spawnSync(PROMTOOL, args, { input, encoding: 'utf8' })
  if (error) throw error
  return { code: status, output: `${stdout}${stderr}` }
}
