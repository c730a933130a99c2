import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const SYNC = join(import.meta.dirname, '..', '..', 'bench', 'ledger', 'sync-ledger.ts')
const TRANSACTIONS = 20_000

/** The source runs in that process too. */
it.each([
  ['a ledger', 0],
  ['a bank login of 20 accounts', 20],
])(
  'the process that syncs %s comes back to its event loop after 50 ms of work at most',
  async (_, accounts) => {
    const { stdout } = await promisify(execFile)(process.execPath, [SYNC, String(TRANSACTIONS), String(accounts)])
    const { longestBlockMs } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as { longestBlockMs: number }
    expect(longestBlockMs).toBeGreaterThan(0)
    expect(longestBlockMs).toBeLessThan(50)
  },
  120_000,
)
