import { createEgress } from '../../src/egress/egress.ts'
import { openDatabase } from '../../src/store/db/database.ts'
import { createSealer } from '../../src/store/keys/sealing.ts'
import { Dispatcher } from '../../src/webhooks/dispatcher.ts'

/** A dispatcher in its own process, so that its memory can be measured. Arguments: database, sealing key in hex. */
const [url = '', sealingKey = ''] = process.argv.slice(2)
const key = { id: '0011223344556677', bytes: Buffer.from(sealingKey, 'hex') }
const log = {
  info: () => undefined,
  warn: () => undefined,
  error: (fields: Record<string, unknown>) => void process.stderr.write(`${fields.err}\n`),
}
new Dispatcher({
  database: openDatabase(url),
  egress: createEgress({ allowPrivate: true }),
  sealer: createSealer({ sealing: { newest: key, find: () => key, all: [key] } }),
  log,
}).start()
