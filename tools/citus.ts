import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { constants } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Cluster } from '../test/distribution/cluster.ts'

const USAGE = `npm run citus -- FOLDER [--nodes 4] [--keep | --measure]

Starts a cluster of Citus on this machine, a coordinator and workers, and runs the tests that need one. FOLDER holds the
programs of a PostgreSQL that Citus has been installed into (initdb, pg_ctl). The tests need four nodes or more. --keep
runs no tests: the cluster, of two nodes or more, stays until this command is ended. --measure prints reads,
first syncs and refreshes a second with the tables on the coordinator, and on one to three nodes of this machine.`

/** The longest that a timer takes, 24 days. NOTE a listener for signals alone does not keep this process. */
const LONGEST_MS = 2 ** 31 - 1

function readCommandLine() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        nodes: { type: 'string', default: '4' },
        keep: { type: 'boolean', default: false },
        measure: { type: 'boolean', default: false },
      },
    })
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}\n`)
    process.exit(2)
  }
}

const { positionals, values } = readCommandLine()
const [programs] = positionals
const count = Number(values.nodes)
const fewest = values.keep ? 2 : 4
if (programs === undefined || !existsSync(join(programs, 'pg_ctl')) || !Number.isInteger(count) || count < fewest) {
  process.stderr.write(`${USAGE}\n`)
  process.exit(2)
}

// The servers are no children that would end with this process, so a signal stops them first.
const ending = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => ending.abort(signal))

const cluster = await Cluster.start(resolve(programs), count)
try {
  if (!ending.signal.aborted) process.stdout.write(`CITUS_URL=${cluster.url}\n`)
  if (values.measure) await measure(cluster.url)
  else if (!values.keep) process.exitCode = await runTests(cluster.url)
  else await wait(LONGEST_MS, undefined, { signal: ending.signal }).catch(() => undefined)
} finally {
  await cluster.stop()
}
if (!values.keep && ending.signal.aborted) process.exitCode = 128 + constants.signals[ending.signal.reason as 'SIGINT' | 'SIGTERM']

/** NOTE loaded here: where the cluster is, is read when it loads. */
async function measure(url: string): Promise<void> {
  process.env.CITUS_URL = url
  const { measureNodes } = await import('../bench/scale/nodes.ts')
  for await (const { nodes, reads, firstSyncs, refreshes } of measureNodes())
    process.stdout.write(
      `${nodes === 0 ? 'coordinator alone' : `${nodes} nodes`}: ${reads} reads/s, ${firstSyncs} first syncs/s, ${refreshes} refreshes/s\n`,
    )
}

async function runTests(url: string): Promise<number> {
  if (ending.signal.aborted) return 1
  const root = resolve(import.meta.dirname, '..')
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
  // One file at a time: a node refuses connections while another database is joined.
  const child = spawn(process.execPath, [vitest, 'run', '--no-file-parallelism', 'test/distribution'], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, CITUS_URL: url },
  })
  ending.signal.addEventListener('abort', () => child.kill('SIGTERM'))
  const [code] = await once(child, 'exit')
  return typeof code === 'number' ? code : 1
}
