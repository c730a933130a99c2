import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { Cluster } from '../test/distribution/cluster.ts'

const USAGE = `npm run citus -- FOLDER [--nodes 4] [--keep]

Starts a cluster of Citus on this machine, a coordinator and workers, and runs the tests that need one. FOLDER holds the
programs of a PostgreSQL that Citus has been installed into (initdb, pg_ctl). --keep runs no tests: the cluster stays
until this command is ended.`

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { nodes: { type: 'string', default: '4' }, keep: { type: 'boolean', default: false } },
})
const [programs] = positionals
const count = Number(values.nodes)
if (programs === undefined || !existsSync(join(programs, 'pg_ctl')) || !Number.isInteger(count) || count < 3) {
  process.stderr.write(`${USAGE}\n`)
  process.exit(2)
}
const cluster = await Cluster.start(resolve(programs), count)
try {
  process.stdout.write(`CITUS_URL=${cluster.url}\n`)
  if (values.keep) await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
  else process.exitCode = await runTests(cluster.url)
} finally {
  await cluster.stop()
}

async function runTests(url: string): Promise<number> {
  const root = resolve(import.meta.dirname, '..')
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
  const child = spawn(process.execPath, [vitest, 'run', 'test/distribution'], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, CITUS_URL: url },
  })
  const [code] = await once(child, 'exit')
  return typeof code === 'number' ? code : 1
}
