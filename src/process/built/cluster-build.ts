/**
 * Command that makes the cluster which a first start copies, when it is missing; used by `npm run build`, and by a start
 * in a child process.
 */
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { argv } from 'node:process'
import { openDatabase } from '../../store/db/database.ts'
import { upgradeSchema } from '../../store/db/migrate.ts'
import { makeTemplate } from '../../store/embedded/postgres.ts'
import { clusterFolder } from './cluster-files.ts'

const [, , folder = clusterFolder()] = argv
let isStopping = false
// It ends when PostgreSQL has: one that is left behind would run on.
process.once('SIGTERM', () => {
  isStopping = true
})

if (!existsSync(folder)) {
  await mkdir(dirname(folder), { recursive: true })
  await makeTemplate(folder, join(dirname(folder), `unfinished-${randomUUID()}`), fill)
}
process.stdout.write(`the cluster for first starts is at ${folder}\n`)

async function fill(url: string): Promise<void> {
  if (isStopping) throw new Error('stopped')
  const database = openDatabase(url, { max: 1, name: 'countinghouse set-up' })
  try {
    await upgradeSchema(database)
  } finally {
    await database.end()
  }
  if (isStopping) throw new Error('stopped')
}
