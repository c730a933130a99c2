import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { type Connector, SourceError } from '../../src/connectors/contract/contract.ts'
import { Status } from '../../src/model/statuses.ts'
import { enqueueKeepAlives, keepAlive } from '../../src/sync/runs/credentials-keep-alive.ts'
import { takeJobs } from '../harness/app/jobs.ts'
import { addCompany } from '../harness/app/tenants.ts'
import { openForTests } from '../harness/for-tests.ts'
import { companyActions, openSyncHarness } from '../sync/harness.ts'
import { ScriptedSource } from '../sync/scripted-source.ts'

/** A source whose credentials end when they are not used for some days. */
class IdleSource extends ScriptedSource {
  refreshFault: Error | null = null

  constructor(key: string, idleDays?: number) {
    super(key)
    Object.assign(this.description, idleDays === undefined ? {} : { idleDays })
  }

  override get connector(): Connector {
    const connector = super.connector
    const refreshCredentials: Connector['refreshCredentials'] = async (kit, credentials) => {
      if (this.refreshFault) throw this.refreshFault
      return (await connector.refreshCredentials?.(kit, credentials)) ?? credentials
    }
    return { ...connector, refreshCredentials }
  }
}

const [short, long, never] = [new IdleSource('short', 4), new IdleSource('long', 100), new IdleSource('never')]
const harness = openForTests(() => openSyncHarness([short, long, never]))
const query = async (text: string, values: unknown[] = []) => (await harness.deps.database.query(text, values)).rows

let lines: unknown[][]
beforeEach(async () => {
  for (const source of [short, long, never]) source.refreshFault = null
  await query(`update connections set credentials_issued_at = now()`)
  await query('delete from jobs')
  lines = []
  harness.deps.log.warn = (...line: unknown[]) => void lines.push(line)
})

/** A connection whose credentials were not used for so many hours. */
async function idle(source: IdleSource, hours: number, status: number = Status.Synced): Promise<string> {
  const companyId = await addCompany(harness.deps.database, harness.instanceId)
  const id = await companyActions(harness.deps, harness.instanceId, companyId).connect(source)
  await query(
    `update connections set credentials_issued_at = now() - make_interval(hours => $2), status = $3, resume_status = $4 where id = $1`,
    [id, hours, status, status === Status.Suspended ? Status.Synced : null],
  )
  await query('delete from jobs')
  return id
}
const row = async (id: string) =>
  (
    await query(
      `select status, resume_status as resume, credentials_generation as generation, to_jsonb(c)::text as whole from connections c where id = $1`,
      [id],
    )
  )[0]
const keep = (connectionId: string, attempt = 1) => keepAlive(harness.deps, { instanceId: harness.instanceId, connectionId, attempt })

describe('credentials are kept alive', () => {
  it('after half of the time that the source gives them, a week at most', async () => {
    const due = [await idle(short, 49), await idle(long, 7 * 24 + 1)]
    await idle(short, 47)
    await idle(long, 7 * 24 - 1)
    await idle(never, 10_000)
    expect(await enqueueKeepAlives(harness.deps.database, harness.deps.sources)).toBe(2)
    const jobs = await query(`select key, provider, payload from jobs where kind = 'keepAlive' order by provider desc`)
    expect(jobs).toEqual(
      due.map((id, n) => ({ key: `keep-alive/${id}`, provider: n === 0 ? 'short' : 'long', payload: { connectionId: id } })),
    )
    await enqueueKeepAlives(harness.deps.database, harness.deps.sources)
    expect(await takeJobs(harness.deps.database, 'keepAlive'), 'each once').toHaveLength(2)
  })

  it.each([Status.Synced, Status.Suspended])('where the connection has the status %i, which it keeps', async (status) => {
    const id = await idle(short, 49, status)
    expect(await keep(id)).toEqual({ done: true })
    expect(await row(id)).toMatchObject({ status, generation: 2 })
    expect(lines).toEqual([])
  })

  it.each(['has ended', 'is gone'])('not where the connection %s', async (which) => {
    const id = await idle(short, 49, Status.Disconnected)
    const refreshes = short.refreshes
    expect(await keep(which === 'is gone' ? randomUUID() : id)).toEqual({ done: true })
    expect([short.refreshes, (await row(id)).generation]).toEqual([refreshes, 1])
  })

  it('by a later turn where the source fails now, which is no fault of the connection', async () => {
    const id = await idle(short, 49)
    short.refreshFault = new SourceError('unavailable', 'the source is down')
    expect(await keep(id)).toEqual({ done: true })
    expect([await row(id), lines]).toMatchObject([
      { status: Status.Synced, generation: 1 },
      [[{ connectionId: id, kind: 'unavailable' }, 'the source is down']],
    ])
  })

  it('unless a fault of ours prevents it, which is thrown', async () => {
    const id = await idle(short, 49)
    short.refreshFault = new TypeError('a fault')
    await expect(keep(id)).rejects.toThrow('a fault')
  })

  it('until the source refuses them: then a connection waits for its owner', async () => {
    const [active, paused] = [await idle(short, 49), await idle(short, 49, Status.Suspended)]
    short.refreshFault = new SourceError('reconnect', 'the grant is gone')
    expect([await keep(active), await keep(paused)]).toEqual([{ done: true }, { done: true }])
    expect(await row(active)).toMatchObject({ status: Status.Deauthorized, resume: null })
    expect(await row(paused)).toMatchObject({ status: Status.Suspended, resume: Status.Deauthorized })
    for (const id of [active, paused]) expect((await row(id)).whole).toContain('the grant is gone')
    const events = await query(`select session_id as id from events where kind = 'Error' and session_id = any($1)`, [[active, paused]])
    expect(events).toEqual([{ id: active }])
  })
})
