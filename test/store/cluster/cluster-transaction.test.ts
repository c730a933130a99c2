import type pg from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ClusterTransaction } from '../../../src/store/db/cluster/cluster-transaction.ts'
import { databaseForTests } from '../../harness/for-tests.ts'

const test = databaseForTests()
let client: pg.PoolClient
beforeEach(async () => {
  client = await test.database.connect()
  await client.query('create temporary table changed (level text)')
})
afterEach(async () => {
  await client.query('drop table changed')
  client.release()
})

/** A transaction during whose commit the server says something of this severity; gives what is done afterwards. */
async function commitSaying(severity: 'notice' | 'warning' | 'exception'): Promise<string[]> {
  await client.query(
    `create or replace function pg_temp.say() returns trigger language plpgsql as $$ begin raise ${severity} 'said'; return null; end $$;
     create constraint trigger says after insert on changed deferrable initially deferred for each row execute function pg_temp.say()`,
  )
  const done: string[] = []
  await client.query('begin')
  const transaction = new ClusterTransaction(client, '*')
  await transaction.query('insert into changed values ($1)', [severity])
  for (const name of ['first', 'second'])
    transaction.onCommitted(async (after) => {
      done.push(`${name}: ${(await after.query('select from changed')).rowCount}`)
      throw new Error('the work failed')
    })
  await transaction.commit().catch((error: Error) => done.push(error.message))
  return done
}

describe('what is to be done once a transaction on a cluster has committed', () => {
  it('is done in order, whatever the server remarks and whichever work fails', async () => {
    expect(await commitSaying('notice')).toEqual(['first: 1', 'second: 1'])
  })

  it('is left out where Citus warns that a node has not committed yet', async () => {
    expect(await commitSaying('warning')).toEqual([])
    expect((await client.query('select from changed')).rowCount).toBe(1)
  })

  it('is left out where nothing was committed', async () => {
    expect(await commitSaying('exception')).toEqual(['said'])
    expect((await client.query('select from changed')).rowCount).toBe(0)
  })
})

it.each(['notice', 'exception'] as const)(
  'a transaction listens to its session no longer than it lasts: %s at its commit',
  async (severity) => {
    const before = client.listenerCount('notice')
    await commitSaying(severity)
    expect(client.listenerCount('notice')).toBe(before)
  },
)
