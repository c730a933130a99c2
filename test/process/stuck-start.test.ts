import { expect, it } from 'vitest'
import { testDatabase } from '../harness/database.ts'
import { findFreePort, openTestFolder, startService } from './service.ts'

/** A machine that does not tell its addresses, as in a sandbox without netlink: a server on all of them throws when it listens. */
const NO_ADDRESSES = `--import data:text/javascript,${encodeURIComponent(
  "import os from 'node:os'; import { syncBuiltinESMExports } from 'node:module'; os.networkInterfaces = () => { throw new Error('no addresses') }; syncBuiltinESMExports()",
)}`

it('a start that neither ends nor fails after a fault ends with status 1, so that a supervisor tries again', async () => {
  const folder = await openTestFolder()
  const test = await testDatabase()
  const environment = {
    ...{ ENVIRONMENT: 'production', DATABASE_URL: test.url, NODE_OPTIONS: NO_ADDRESSES },
    METRICS_LISTEN: `0.0.0.0:${await findFreePort()}`,
  }
  const service = await startService({ dataDir: folder.path, environment, until: 'the process cannot continue' })
  expect(await service.end()).toEqual({ code: 1, signal: null })
  expect(service.output()).toContain('has not ended in time, and is given up')
  await test.drop()
  await folder.remove()
})
