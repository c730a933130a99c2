import { openDatabase } from '../../../src/store/db/database.ts'

/** Drops the databases that tests with a fault did not drop. No test may be running. */
export async function dropLeftoverDatabases(): Promise<void> {
  const address = process.env.TEST_POSTGRES_URL
  if (address === undefined) return
  const { adminUrl } = (await (await fetch(`${address}/empty`)).json()) as { adminUrl: string }
  const admin = openDatabase(adminUrl, { max: 1 })
  try {
    const { rows } = await admin.query<{ name: string }>(`select datname as name from pg_database where datname like 'test\\_%'`)
    for (const { name } of rows) await admin.query(`drop database ${name} with (force)`)
  } finally {
    await admin.end()
  }
}
