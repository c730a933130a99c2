import { openDatabase } from '../../src/store/db/database.ts'
import { startEmbeddedPostgres } from '../../src/store/embedded/postgres.ts'

/**
 * Separate process for the tests: `node run-postgres.ts DATA_DIR SYSTEM_FOLDER`. Prints one JSON line when the
 * database is up, then inserts rows one by one and prints the number of each acknowledged one, until it is killed or
 * gets SIGTERM.
 */
const [dataDir = '', systemFolder = ''] = process.argv.slice(2)
const postgres = await startEmbeddedPostgres({ dataDir, systemFolder })
const database = openDatabase(postgres.url)
await database.query('create table if not exists acknowledged (n bigint)')
process.stdout.write(`${JSON.stringify({ url: postgres.url })}\n`)

let isStopping = false
process.once('SIGTERM', () => {
  isStopping = true
})
const { rows } = await database.query<{ next: string }>('select coalesce(max(n), 0) + 1 as next from acknowledged')
for (let n = Number(rows[0]?.next); !isStopping; n++) {
  await database.query('insert into acknowledged values ($1)', [n])
  process.stdout.write(`${n}\n`)
}
await database.end()
await postgres.stop()
