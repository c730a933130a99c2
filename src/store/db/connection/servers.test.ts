import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { testDatabase } from '../../../../test/harness/database.ts'
import { DatabaseProxy } from '../../../../test/store/database-proxy.ts'
import { connectionOf } from './database-url.ts'
import { type Primary, Servers } from './servers.ts'
import { clientOf } from './store-client.ts'

const URL = 'postgres://app@one,two,three/name'

/** Answers by host: a primary, null for a standby, or an outage. */
type Answers = Record<string, Primary | null | Error>

function serversWith(answers: Answers): Servers {
  return new Servers(URL, async (url) => {
    const answer = answers[new globalThis.URL(url).hostname] ?? null
    if (answer instanceof Error) throw answer
    return answer
  })
}

function primary(server: string, timeline: number, cluster = 'a'): Primary {
  return { server: `${cluster} ${server}`, cluster, timeline }
}

describe('the primary of several servers', () => {
  it('is the one with the highest timeline where several accept writes', async () => {
    const servers = serversWith({ one: primary('one', 3), two: primary('two', 4) })
    expect((await servers.findPrimary()).host).toBe('two')
  })

  it('is never one with a lower timeline than was seen before', async () => {
    const answers: Answers = { one: primary('one', 3), two: primary('two', 4) }
    const servers = serversWith(answers)
    await servers.findPrimary()
    servers.forget()
    answers.two = new Error('no route')
    await expect(servers.findPrimary()).rejects.toThrow(
      'no server of the database accepts writes (one: is a former leader; three: is read-only; two: no route)',
    )
    answers.three = primary('three', 5)
    expect((await servers.findPrimary()).host).toBe('three')
  })

  it('may begin again with another cluster', async () => {
    const answers: Answers = { one: primary('one', 7) }
    const servers = serversWith(answers)
    await servers.findPrimary()
    servers.forget()
    answers.one = primary('one', 1, 'restored')
    expect((await servers.findPrimary()).host).toBe('one')
  })

  it('is nobody where two histories have the same timeline', async () => {
    const servers = serversWith({ one: primary('one', 4), two: primary('two', 4) })
    await expect(servers.findPrimary()).rejects.toThrow('several servers of the database accept writes (one, two)')
  })

  it('may have two addresses', async () => {
    const servers = serversWith({ one: primary('same', 4), two: primary('same', 4) })
    expect(['one', 'two']).toContain((await servers.findPrimary()).host)
  })

  it('is found while another server is silent', async () => {
    const servers = new Servers(URL, async (url) => {
      if (url.includes('one')) return primary('one', 1)
      return await new Promise<never>(() => undefined)
    })
    expect((await servers.findPrimary()).host).toBe('one')
  })

  it('has all connections: those to a former one are closed', async () => {
    const { url, drop } = await testDatabase({ migrated: false })
    const { user, database } = connectionOf(url)
    const proxy = await DatabaseProxy.open(url)
    const leads = { host: '127.0.0.1', timeline: 1 }
    const servers = new Servers(`postgres://${user}@127.0.0.1:${proxy.port},localhost:${proxy.port}/${database}`, async (one) =>
      new globalThis.URL(one).hostname === leads.host ? primary(leads.host, leads.timeline) : null,
    )
    const StoreClient = clientOf(servers)
    const client = new StoreClient(servers.first)
    const broken = once(client, 'error')
    try {
      await client.connect()
      expect(client.host).toBe('127.0.0.1')
      servers.forget()
      Object.assign(leads, { host: 'localhost', timeline: 2 })
      await servers.findPrimary()
      expect((await broken)[0]).toMatchObject({ name: 'NoPrimary', message: 'another server leads now' })
    } finally {
      await client.end().catch(() => undefined)
      proxy.close()
      await drop()
    }
  })
})
