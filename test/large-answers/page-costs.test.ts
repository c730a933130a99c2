import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import type { PageCosts } from './page-costs.ts'

it('a page that is not read in a thread keeps the process from its event loop for 50 ms at most', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [join(import.meta.dirname, 'page-costs.ts')])
  const costs: PageCosts = JSON.parse(stdout)
  expect(Object.keys(costs)).toHaveLength(3)
  expect(Object.entries(costs).filter(([, ms]) => !(ms > 0 && ms < 50))).toEqual([])
})
