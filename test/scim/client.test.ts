import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { openForTests } from '../harness/for-tests.ts'
import { isOnPath } from '../packages/podman.ts'
import { scimHarness } from './harness.ts'

const run = promisify(execFile)
/** Python of the environment in which `.ci/run` installs scim2-tester; a link to it is on the path. */
const PROGRAM = 'scim2-tester-python'
const isSkipped = !isOnPath(PROGRAM) && process.env.CI !== 'true'
if (isSkipped) process.stderr.write(`SKIPPED: SCIM is not tested with a client of others: no ${PROGRAM}\n`)

interface Check {
  status: string
  title: string
  reason: string | null
  resource: string
}

describe.skipIf(isSkipped)(`a SCIM client that is not ours${isSkipped ? ` (SKIPPED: no ${PROGRAM})` : ''}`, () => {
  const api = openForTests(scimHarness)
  let checks: Check[]
  beforeAll(async () => {
    const address = await api.app.listen({ host: '127.0.0.1', port: 0 })
    const { stdout } = await run(PROGRAM, [join(import.meta.dirname, 'tester.py'), `${address}/scim/v2`, api.key], {
      maxBuffer: 64_000_000,
    })
    checks = stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Check)
  }, 120_000)

  it('scim2-tester finds nothing against the RFCs', () => {
    expect(checks.filter(({ status }) => status !== 'SUCCESS' && status !== 'SKIPPED')).toEqual([])
    // Skipped: what this service says that it does not have.
    expect(checks.filter(({ status }) => status === 'SUCCESS').length).toBeGreaterThan(55)
  })
})
