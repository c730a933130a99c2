import { createEgress } from '../../src/egress/egress.ts'
import { openDatabase } from '../../src/store/db/database.ts'
import { openKeys } from '../../src/store/keys/keys.ts'
import { createSealer } from '../../src/store/keys/sealing.ts'
import { Dispatcher } from '../../src/webhooks/dispatcher.ts'

/**
 * The dispatcher in its own process, as in a worker. Arguments: database, data directory. It ends when the benchmark
 * does.
 */
const [url = '', dataDir = ''] = process.argv.slice(2)
const log = {
  info: () => undefined,
  warn: () => undefined,
  error: (fields: Record<string, unknown>) => void process.stderr.write(`${fields.err}\n`),
}
const dispatcher = new Dispatcher({
  database: openDatabase(url, { max: 16 }),
  egress: createEgress({ allowPrivate: true }),
  sealer: createSealer(await openKeys(dataDir)),
  log,
})
for (const end of ['disconnect', 'SIGTERM'] as const) process.once(end, () => process.exit(0))
dispatcher.start()
process.send?.('started')
