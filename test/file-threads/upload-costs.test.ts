import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { folderForTests } from '../harness/for-tests.ts'
import type { UploadCosts } from './upload-costs.ts'

const MEASURE = join(import.meta.dirname, 'upload-costs.ts')

describe('uploads', () => {
  const folder = folderForTests()
  let costs: UploadCosts

  beforeAll(async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [MEASURE, folder.path])
    costs = JSON.parse(stdout)
  }, 120_000)

  it('that are not finished take 100 MiB at most, 25 of them', () => {
    expect(costs.unfinishedMiB).toBeLessThan(100)
  })

  it('of a hostile file of 24 MB keep the process from its event loop for 50 ms at most', () => {
    expect(costs.refusal).toContain('InputRefused')
    expect(costs.longestBlockMs).toBeGreaterThan(0)
    expect(costs.longestBlockMs).toBeLessThan(50)
  })
})
