import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createPlaidSimulator } from '../simulators/plaid/index.ts'
import { serveSimulator } from '../simulators/simulator.ts'
import { plaid } from '../src/connectors/plaid/index.ts'
import { createSources } from '../src/connectors/sources.ts'
import { createKit } from '../src/connectors/toolkit/http/kit.ts'
import { createEgress } from '../src/egress/egress.ts'
import { searchInstitutions } from '../src/store/sources/institution-search.ts'
import { syncDirectory } from '../src/sync/sources/directory.ts'
import { openBank } from './bank/bank.ts'
import type { ParsedFile } from './banking/parse.ts'
import { STATEMENTS } from './banking/statements.ts'
import { openDeployment } from './deployment.ts'
import { atLeast, atMost, type Figure, untargeted } from './figures.ts'
import type { Effort } from './options.ts'
import { printProgress } from './progress.ts'
import { quantile } from './statistics.ts'

const run = promisify(execFile)
const PARSE = join(import.meta.dirname, 'banking', 'parse.ts')
const SEARCHES = ['bank', 'caisse', 'banque nationale', 'credit union', 'rivière', 'ohio', 'zzzz', '0', '']
const CONNECTOR_KEYS = { clientId: 'bench-client', secret: 'bench-secret' }

/** Parsers of statement files, and the directory of an aggregator: loading and searching it. */
export async function benchBanking(effort: Effort): Promise<Figure[]> {
  return [...(await parseFiles(effort)), ...(await readDirectory(effort))]
}

async function parseFiles({ rounds }: Effort): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const [format, { leastMegabytes }] of Object.entries(STATEMENTS)) {
    printProgress(`banking: a file of ${format}`)
    const { stdout } = await run(process.execPath, ['--expose-gc', PARSE, format, String(rounds)])
    const { parsed, read, movements } = JSON.parse(stdout) as ParsedFile
    figures.push(
      atLeast(`${format}: MB/s of processor time`, parsed, leastMegabytes, 0),
      untargeted(`  with sums, ids, days and masking, ${movements.toLocaleString('en-US')} movements, MB/s`, read.toFixed(0)),
    )
  }
  return figures
}

async function readDirectory({ institutions, rounds }: Effort): Promise<Figure[]> {
  printProgress(`banking: a directory of ${institutions.toLocaleString('en-US')}`)
  const deployment = await openDeployment(openBank(0))
  const egress = createEgress({ allowPrivate: true })
  // The simulator omits banks without transactions, one in 37.
  const institutionCount = Math.ceil((institutions * 37) / 36)
  const simulator = await serveSimulator((options) => createPlaidSimulator({ ...options, keys: CONNECTOR_KEYS, institutionCount }))
  try {
    const sources = createSources([plaid], {
      settings: {},
      simulators: { plaid: { app: CONNECTOR_KEYS, hosts: { api: simulator.url } } },
      createKit: (app, hosts) => createKit({ egress, app, hosts, now: () => new Date(), allowPrivate: true }),
    })
    const source = sources.get('plaid')
    if (!source) throw new Error('the source is not in the list')
    const startedMs = performance.now()
    const count = await syncDirectory(deployment.sync, source)
    const tookSeconds = (performance.now() - startedMs) / 1_000
    const searches: number[] = []
    for (let round = 0; round < rounds * 5; round += 1) {
      for (const text of SEARCHES) {
        const beganMs = performance.now()
        await searchInstitutions(deployment.database, 'plaid', { text, ...(round % 2 ? { country: 'CA' } : {}) }, { limit: 12, offset: 0 })
        searches.push(performance.now() - beganMs)
      }
    }
    return [
      atLeast('institutions read', count, institutions, 0),
      atMost(`directory of ${institutions.toLocaleString('en-US')} read, s`, tookSeconds, 30, 1),
      atMost('  search in it, p99, ms', quantile(searches, 0.99), 50, 1),
      untargeted('  search in it, p50, ms', quantile(searches, 0.5).toFixed(1)),
    ]
  } finally {
    await simulator.close()
    await egress.close()
    await deployment.close()
  }
}
