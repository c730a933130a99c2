import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'

/** Runs `npm run prove` on a machine without programs: neither `ip` nor those of a cluster are found. */
const prove = (...options: string[]) =>
  new Promise<{ code: unknown; output: string }>((resolve) => {
    const env = { ...process.env, PATH: '' }
    execFile(process.execPath, [join(import.meta.dirname, 'prove.ts'), ...options], { env }, (error, output) =>
      resolve({ code: error?.code ?? 0, output }),
    )
  })

it('a proof whose tests are all skipped does not hold', async () => {
  const { code, output } = await prove('failover')
  expect(output).toMatch(/^failover +SKIPPED, \d+ s$/m)
  expect(code).toBe(3)
})

it('a proof that is not known is refused', async () => {
  expect(await prove('nothing')).toEqual({ code: 2, output: '' })
})
