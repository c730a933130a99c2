import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { hasCode } from '../src/model/error-code.ts'

/** The long proofs: names, and their tests. */
const PROOFS = {
  simulation: ['test/simulation'],
  crash: ['test/crash'],
  faults: ['test/faults'],
  refresh: ['test/refresh'],
  limits: ['test/limits'],
  reconnect: ['test/reconnect'],
  jobs: ['test/jobs'],
  events: ['src/store/webhooks/events', 'test/events'],
  webhooks: ['src/webhooks', 'test/webhooks'],
  sealing: ['src/store/keys/sealing', 'test/sealing'],
  portal: ['test/portal'],
  exports: ['test/exports'],
  changes: ['test/changes', 'test/replication'],
  pooler: ['test/process/pooler'],
  failover: ['test/failover'],
  outage: ['test/outage'],
  replicas: ['test/replicas'],
  pooled: [
    ...[
      'test/journey',
      'test/sync/staged',
      'test/changes',
      'test/isolation',
      'test/webhooks',
      'test/owner',
      'test/retention',
      'test/exports',
    ],
    ...['test/upgrades/migrations', 'src/store/access', 'src/store/db', 'src/store/records', 'src/webhooks'],
    ...['src/sync/connection', 'src/sync/instances'],
  ],
  citus: [
    ...['test/crash/kills', 'test/simulation', 'test/distribution', 'test/changes/'],
    ...['test/webhooks/crash', 'test/webhooks/dispatcher-rounds'],
    // The contract: every operation of the API, the specification’s walk, and what keeps tenants apart.
    ...['test/api/', 'test/journey/', 'test/isolation/', 'test/retention/', 'test/sealing/'],
  ],
  generators: ['test/generators'],
  'entry-points': ['test/operator/entry-points', 'test/operator/matrix', 'test/scim/generated', 'test/api/requests'],
  requests: ['test/schemathesis'],
  drill: ['test/drill/drill'],
} as const
type Proof = keyof typeof PROOFS

/** Tests that are also run behind PgBouncer in transaction mode, and on the cluster of CITUS_URL. */
const ENVIRONMENTS: Partial<Record<Proof, Record<string, string>>> = {
  pooled: { TEST_POOLER: 'transaction' },
  citus: process.env.CITUS_URL === undefined ? {} : { TEST_CITUS: '1' },
}
/** A node refuses connections while another database is joined. */
const ONE_FILE_AT_A_TIME: readonly Proof[] = ['citus']

interface Figure {
  name: string
  value: string
}

/**
 * `npm run prove [-- NAME…] [--seeds N] [--seed N] [--percent N] [--minutes N]`: runs the long proofs, all or by name, at full
 * length or a share of it, and prints their figures. `--seed` replays one script of the simulation and prints its
 * history, `--minutes` is the length of `outage`. Exit status 1 if one of them fails; 3 if one was skipped, because the
 * machine lacks a program or a right.
 */
async function main(): Promise<void> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { seeds: { type: 'string' }, seed: { type: 'string' }, percent: { type: 'string' }, minutes: { type: 'string' } },
  })
  const names = positionals.map(toProof)
  const folder = await mkdtemp(join(tmpdir(), 'countinghouse-prove-'))
  const rows: Figure[] = []
  try {
    for (const name of names.length > 0 ? names : (Object.keys(PROOFS) as Proof[])) {
      const file = join(folder, name)
      const environment = {
        PROVE: '1',
        PROVE_FIGURES: file,
        ...ENVIRONMENTS[name],
        ...numberOf('SEEDS', values.seeds),
        ...numberOf('SEED', values.seed),
        ...numberOf('PERCENT', values.percent),
        ...numberOf('MINUTES', values.minutes),
      }
      const startedMs = performance.now()
      const options = ONE_FILE_AT_A_TIME.includes(name) ? ['--no-file-parallelism'] : []
      const outcome = await run(PROOFS[name], environment, join(folder, `${name}.json`), options)
      if (outcome === 'FAILED') process.exitCode = 1
      else if (outcome === 'SKIPPED') process.exitCode ??= 3
      rows.push({ name, value: `${outcome}, ${((performance.now() - startedMs) / 1_000).toFixed(0)} s` })
      rows.push(...(await readFigures(file)).map((figure) => ({ name: `  ${figure.name}`, value: figure.value })))
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  const width = Math.max(...rows.map(({ name }) => name.length))
  process.stdout.write(`\n${rows.map(({ name, value }) => `${name.padEnd(width)}  ${value}`).join('\n')}\n`)
}

async function run(
  tests: readonly string[],
  environment: Record<string, string>,
  report: string,
  options: readonly string[],
): Promise<'holds' | 'FAILED' | 'SKIPPED'> {
  const vitest = join(import.meta.dirname, '..', 'node_modules', 'vitest', 'vitest.mjs')
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const child = spawn(process.execPath, [vitest, 'run', ...reporters, ...options, ...tests], {
    cwd: join(import.meta.dirname, '..'),
    env: { ...process.env, ...environment },
    stdio: 'inherit',
  })
  const [code] = await once(child, 'exit')
  if (code !== 0) return 'FAILED'
  const { numPassedTests } = JSON.parse(await readFile(report, 'utf8')) as { numPassedTests: number }
  return numPassedTests > 0 ? 'holds' : 'SKIPPED'
}

/** Figures written by the tests, in order; empty if there are none. */
async function readFigures(file: string): Promise<Figure[]> {
  try {
    const text = await readFile(file, 'utf8')
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Figure)
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return []
    throw error
  }
}

function toProof(name: string): Proof {
  if (name in PROOFS) return name as Proof
  throw new Error(`unknown proof ${JSON.stringify(name)}; known are ${Object.keys(PROOFS).join(', ')}`)
}

function numberOf(name: string, value: string | undefined): Record<string, string> {
  if (value === undefined) return {}
  if (!/^\d{1,9}$/.test(value)) throw new Error(`--${name.toLowerCase()} takes a whole number`)
  return { [name]: value }
}

try {
  await main()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 2
}
