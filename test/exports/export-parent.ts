import { json } from 'node:stream/consumers'
import { ExportProcess } from '../../src/process/exports/export-process.ts'
import type { ExportSettings } from '../../src/process/exports/messages.ts'
import { openDatabase } from '../../src/store/db/database.ts'
import type { Job } from '../../src/store/jobs/jobs.ts'
import { SILENT } from '../harness/app/sync-deps.ts'

/** A parent to be killed: reads settings and a job from its input, and prints the id of the process of exports at its first piece. */
const { settings, job } = (await json(process.stdin)) as { settings: ExportSettings; job: Job }
const exporter = new ExportProcess({ database: openDatabase(settings.databaseUrl), log: SILENT, settings })
let isFirst = true
await exporter.run(job, {
  isStopping: () => false,
  advance: () => {
    if (isFirst) process.stdout.write(`${exporter.pid}\n`)
    isFirst = false
  },
})
