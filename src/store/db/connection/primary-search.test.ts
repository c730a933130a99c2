import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openForTests } from '../../../../test/harness/for-tests.ts'
import { until } from '../../../../test/process/deadline.ts'
import { DatabaseProxy } from '../../../../test/store/database-proxy.ts'
import { StandIn } from '../../../../test/store/replicas/stand-in.ts'
import { type Primary, Servers } from './servers.ts'
import { clientOf, createSession } from './store-client.ts'

/** A database that is asked whether it is a primary, by way of two ports. */
const standby = openForTests(StandIn.open)
const other = openForTests(
  () => DatabaseProxy.open(standby.ownUrl, 'localhost'),
  (proxy) => proxy.close(),
)
const PRIMARY: Primary = { server: 'one', cluster: 'a', timeline: 1 }
const asked: string[] = []
let answer: Primary | null = PRIMARY

beforeEach(() => {
  asked.length = 0
  answer = PRIMARY
})
afterEach(async () => {
  await standby.reset()
  await other.reopen()
})

/** Both addresses in one. */
const both = () => standby.url.replace(standby.proxy.address, `${standby.proxy.address},${other.address}`)

/** Servers of which the first is asked by the test. */
const open = (url: string) =>
  new Servers(url, async (one) => {
    asked.push(one.includes(standby.proxy.address) ? 'first' : 'second')
    return one.includes(standby.proxy.address) ? answer : null
  })

describe('a search for the primary', () => {
  it('is none where there is one server', async () => {
    const servers = open(standby.url)
    const { host, port } = standby.proxy
    servers.forget()
    expect([servers.hasSeveral, servers.urls, servers.first]).toEqual([false, [standby.url], { connectionString: standby.url }])
    expect([await servers.findPrimary(), asked]).toEqual([{ host, port }, []])
  })

  it('asks each server once, for all who wait, and no more until the primary is forgotten', async () => {
    const servers = open(both())
    const { host, port } = standby.proxy
    expect([servers.hasSeveral, servers.urls.length]).toEqual([true, 2])
    const found = await Promise.all([servers.findPrimary(), servers.findPrimary()])
    expect([found, asked, await servers.findPrimary()]).toEqual([
      [
        { host, port },
        { host, port },
      ],
      ['first', 'second'],
      { host, port },
    ])
    servers.forget()
    await servers.findPrimary()
    expect(asked).toHaveLength(4)
  })

  it('begins again after one that found none', async () => {
    const servers = open(both())
    answer = null
    const none = `no server of the database accepts writes (${[`${standby.proxy.address}: is read-only`, `${other.address}: is read-only`].toSorted().join('; ')})`
    await expect(servers.findPrimary()).rejects.toMatchObject({ name: 'NoPrimary', code: '57P03', message: none })
    answer = PRIMARY
    expect((await servers.findPrimary()).port).toBe(standby.proxy.port)
  })

  it('asks the servers themselves, and closes its connections', async () => {
    const servers = new Servers(both())
    const readOnly = (server: string) => `${server}: is read-only`
    await expect(servers.findPrimary()).rejects.toThrow([standby.proxy.address, other.address].toSorted().map(readOnly).join('; '))
    await other.shut()
    await expect(servers.findPrimary()).rejects.toThrow(new RegExp(`${other.address}: .*ECONNREFUSED`))
    await standby.say({ is_standby: false })
    expect((await servers.findPrimary()).port).toBe(standby.proxy.port)
    await until('they are closed', () => (standby.proxy.open + other.open === 0 ? true : null))
    // The same server by two addresses is one.
    await other.reopen()
    expect([standby.proxy.port, other.port]).toContain((await new Servers(both()).findPrimary()).port)
  })
})

describe('a connection to the primary', () => {
  it('fails with the server, which is searched for again', async () => {
    const servers = open(both())
    const StoreClient = clientOf(servers)
    standby.proxy.shut()
    await expect(new StoreClient(servers.first).connect()).rejects.toMatchObject({ code: 'ECONNREFUSED' })
    await standby.proxy.reopen()
    const client = new StoreClient(servers.first)
    await client.connect()
    expect([client.host, client.port, asked.length]).toEqual([standby.proxy.host, standby.proxy.port, 4])
    await client.end()
  })

  it('is not closed when the same server is found again', async () => {
    const servers = open(both())
    const client = new (clientOf(servers))(servers.first)
    await client.connect()
    servers.forget()
    await servers.findPrimary()
    expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }])
    await client.end()
  })

  it('is told of as a callback wants it', async () => {
    const connect = async (url: string) => {
      const servers = open(url)
      const client = new (clientOf(servers))(servers.first)
      client.on('error', () => undefined)
      const known = await new Promise<unknown[]>((resolve) => client.connect((...given: unknown[]) => resolve(given)))
      await client.end()
      return [known.length, known[0], known[1] === client]
    }
    for (const url of [standby.url, both()]) expect(await connect(url)).toEqual([2, null, true])
    standby.proxy.shut()
    for (const url of [standby.url, both()])
      expect(await connect(url)).toEqual([1, expect.objectContaining({ code: 'ECONNREFUSED' }), false])
  })

  it('goes on after warnings of the server', async () => {
    const client = createSession(standby.url, 'countinghouse test')
    await client.connect()
    await client.query(`do $$ begin raise warning 'canceling wait' using errcode = '01000'; end $$`)
    const { rows } = await client.query(`select current_setting('application_name') as name`)
    expect(rows).toEqual([{ name: 'countinghouse test' }])
    await client.end()
  })
})
