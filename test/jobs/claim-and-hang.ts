import { randomUUID } from 'node:crypto'
import { openDatabase } from '../../src/store/db/database.ts'
import { claimJobs } from '../../src/store/jobs/jobs.ts'

/** A worker that claims a job and then hangs, to be killed. */
const database = openDatabase(process.argv[2] ?? '')
const jobs = await claimJobs(database, { worker: randomUUID(), kinds: ['victim'], limit: 1, leaseMs: 60_000, after: null, cap: 1 })
process.stdout.write(`claimed ${jobs.length}\n`)
setInterval(() => undefined, 1_000)
