import { setTimeout as delay } from 'node:timers/promises'
import type { ConnectorDescription } from '../../src/connectors/contract/contract.ts'
import type { SourceLimit } from '../../src/connectors/contract/limits.ts'
import { SourcePaused } from '../../src/connectors/contract/rate-limiter.ts'
import { createSources } from '../../src/connectors/sources.ts'
import { createKit } from '../../src/connectors/toolkit/http/kit.ts'
import { createEgress } from '../../src/egress/egress.ts'
import { openDatabase } from '../../src/store/db/database.ts'
import { SharedRateLimiter } from '../../src/sync/rate-limits/shared-rate-limiter.ts'

/** A worker process that calls one company's books as fast as permitted, until it is killed. */
const [databaseUrl = '', sourceUrl = '', limits = '[]', atOnce = '1'] = process.argv.slice(2)

const description: ConnectorDescription = {
  key: 'counted',
  name: 'Counted Books',
  title: 'Counted Books',
  description: { 'en-CA': 'For tests', 'fr-CA': 'Pour les tests' },
  category: 'Accounting',
  route: 'app',
  entities: ['Accounts'],
  link: 'form',
  appKeys: [],
  hosts: { api: sourceUrl },
  limits: JSON.parse(limits) as SourceLimit[],
  refreshHours: 24,
  load: () => Promise.reject(new Error('only its kit is used')),
}

const limiter = new SharedRateLimiter(openDatabase(databaseUrl, { max: 3 }), { onError: (error) => process.stderr.write(`${error}\n`) })
const egress = createEgress({ allowPrivate: true })
const source = createSources([description], {
  settings: {},
  simulators: {},
  rateLimiter: limiter,
  createKit: (app, hosts) => createKit({ egress, app, hosts, allowPrivate: true, now: () => new Date() }),
})
  .get('counted')
  ?.forEntity('bakery')

async function callOn(): Promise<void> {
  for (;;) {
    try {
      await source?.kit.http({ url: `${sourceUrl}/books` })
    } catch (error) {
      if (!(error instanceof SourcePaused)) throw error
      await delay(error.retryAfterMs ?? 0)
    }
  }
}

for (let index = 0; index < Number(atOnce); index++) void callOn()
