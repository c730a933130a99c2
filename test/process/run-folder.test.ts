import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { expect, it } from 'vitest'
import { openRunFolder } from '../harness/run-folder.ts'

it('contains temporary folders until it is removed, and those of the next run afterwards', async () => {
  const before = tmpdir()
  const run = await openRunFolder()
  expect(tmpdir()).toBe(run.path)
  await run.remove()
  expect([tmpdir(), existsSync(run.path)]).toEqual([before, false])
})
