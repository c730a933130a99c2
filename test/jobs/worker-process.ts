import { type Handler, startWorker } from '../../src/jobs/worker.ts'
import { openDatabase } from '../../src/store/db/database.ts'

/**
 * A worker in its own process: prints each job and does what its payload says. Arguments: database, lease in
 * milliseconds.
 */
const [url = '', leaseMs = '60000', stopMs = '15000'] = process.argv.slice(2)
const database = openDatabase(url)
const say = (line: string): void => void process.stdout.write(`${line}\n`)

const handler: Handler = async (job, signal) => {
  say(`start ${job.key}`)
  if (job.payload.does === 'hang') await new Promise(() => undefined)
  while (job.payload.does === 'wait' && !signal.isStopping()) await new Promise((resolve) => setImmediate(resolve))
  if (job.payload.does === 'outlast')
    while (!signal.isStopping() || !(await isQueued('next'))) await new Promise((resolve) => setImmediate(resolve))
  say(`end ${job.key}`)
  return { done: true }
}

const lease = Number(leaseMs)
async function isQueued(key: string): Promise<boolean> {
  return (await database.query('select 1 from jobs where key = $1', [key])).rows.length > 0
}

const worker = startWorker({
  database,
  handlers: { work: handler },
  concurrency: 4,
  onError: (error) => say(`error ${error}`),
  pace: { leaseMs: lease, heartbeatMs: lease / 4, stopMs: Number(stopMs) },
})
process.on('SIGTERM', async () => {
  const stopped = worker.stop()
  say('stopping')
  await stopped
  await database.end()
  process.exit(0)
})
