import { expect, it } from 'vitest'
import { databaseForTests, folderForTests } from '../harness/for-tests.ts'
import { until } from './deadline.ts'
import { startService } from './service.ts'

const folder = folderForTests()
const test = databaseForTests()

/**
 * State of a first start killed during the authorization of the sample books: no user yet, and a connection without
 * its entity.
 */
async function revertToAuthorization(): Promise<void> {
  const { database } = test
  await database.query(`delete from jobs where kind = 'sync'`)
  await database.query(`update connections set status = 6, entity_id = null, entity_name = null where connector_key = 'sage'`)
  await database.query('delete from users')
}

it('a first start killed during the authorization of the sample books continues, and duplicates nothing', async () => {
  const environment = { DATABASE_URL: test.url }
  const first = await startService({ dataDir: folder.path, environment: { ...environment, ROLE: 'api' } })
  await first.kill()
  await revertToAuthorization()
  const second = await startService({ dataDir: folder.path, environment })
  const read = 'select connector_key as key, status from connections order by connector_key'
  const connections = await until('the sample books are read', async () => {
    const { rows } = await test.database.query<{ key: string; status: number }>(read)
    return rows.some(({ key, status }) => key === 'sage' && status === 15) ? rows : null
  })
  await second.stop()
  expect(connections).toEqual([
    { key: 'bank-files', status: 19 },
    { key: 'sage', status: 15 },
  ])
  expect((await test.database.query('select from companies')).rowCount).toBe(2)
})
