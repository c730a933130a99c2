import pg from 'pg'

/**
 * A transaction in the scope of an instance that reaches the nodes: Citus passes on `set local`, sent as a statement of
 * its own, and nothing else (`set_config` stays on the coordinator).
 * Source: https://github.com/citusdata/citus/pull/2689
 */
export async function inScope<T>(client: pg.Client, instanceId: string, work: () => Promise<T>): Promise<T> {
  await client.query('begin')
  try {
    await client.query(`set local citus.propagate_set_commands = 'local'`)
    await client.query(`set local countinghouse.instance = ${client.escapeLiteral(instanceId)}`)
    const result = await work()
    await client.query('commit')
    return result
  } catch (error) {
    await client.query('rollback')
    throw error
  }
}

export async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client(url)
  await client.connect()
  return client
}
