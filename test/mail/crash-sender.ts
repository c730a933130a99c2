import { startWorker } from '../../src/jobs/worker.ts'
import { mailHandlers } from '../../src/mail/jobs.ts'
import { createSmtpTransport } from '../../src/mail/smtp-transport.ts'
import { Secret } from '../../src/model/values/secret.ts'
import { openDatabase } from '../../src/store/db/database.ts'
import { openKeys } from '../../src/store/keys/keys.ts'
import { createSealer } from '../../src/store/keys/sealing.ts'
import { crashPoint, toCrashPoint } from '../harness/crash-point.ts'

/** A sender in its own process, to be killed: `node crash-sender.ts DATABASE_URL KEYS_FOLDER SMTP_URL CRASH_POINT`. */
const [databaseUrl = '', keysFolder = '', smtpUrl = '', point = ''] = process.argv.slice(2)
const database = openDatabase(databaseUrl, { max: 4, name: 'mail-sender' })
const post = createSmtpTransport({ url: new Secret(smtpUrl), from: 'no-reply@example.org' })
const log = { warn: (fields: Record<string, unknown>) => process.stderr.write(`${JSON.stringify(fields)}\n`) }
startWorker({
  database,
  handlers: mailHandlers({
    database,
    sealer: createSealer(await openKeys(keysFolder)),
    transport: post,
    log,
    crashPoint: crashPoint(toCrashPoint(point)),
  }),
  concurrency: 2,
  // A claim that PostgreSQL executes after the kill keeps a job for as long.
  pace: { leaseMs: 5_000 },
  onError: (error) => process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`),
})
setInterval(() => undefined, 1_000)
