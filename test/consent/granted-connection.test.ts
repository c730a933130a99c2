import { createHash, randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Grant } from '../../src/connectors/contract/contract.ts'
import { Status } from '../../src/model/statuses.ts'
import { type Connection, lockConnection } from '../../src/store/connections/connections.ts'
import { listConsentsOfLink } from '../../src/store/connections/consents.ts'
import { countOpened } from '../../src/store/connections/link-progress.ts'
import { inTransaction } from '../../src/store/db/database.ts'
import { beginAuthorization } from '../../src/sync/authorize/authorize.ts'
import { recordAgreedConsent } from '../../src/sync/authorize/consent.ts'
import { acceptGrants } from '../../src/sync/authorize/grant.ts'
import type { OpenLink } from '../../src/sync/links/link.ts'
import { openForTests } from '../harness/for-tests.ts'
import { openLinksHarness } from '../links/harness.ts'

const harness = openForTests(openLinksHarness)
const DAY_MS = 86_400_000
const db = () => harness.sync.deps.database
const query = async (text: string, values: unknown[] = []) => (await db().query(text, values)).rows

let target: Awaited<ReturnType<typeof harness.target>>
let open: OpenLink
beforeEach(async () => {
  target = await harness.target()
  open = (await harness.open(target)).open
})

const grant = (entity: string, expiresAt: string | null = null): Grant => ({
  credentials: { secret: { token: entity }, expiresAt },
  entity: { id: entity, name: `Books ${entity}` },
})
const bank = (entity: string, id: string): Grant => ({ ...grant(entity), institution: { id, name: `Bank ${id}` } })
type Attach = Parameters<typeof acceptGrants>[4]

async function accept(grants: Grant[], changed: OpenLink = open, attach?: Attach) {
  const { connectionId } = await beginAuthorization(db(), changed)
  return (await acceptGrants(harness.sync.deps, changed, connectionId, grants, attach)).map((linked) => linked.connectionId)
}
const again = async () => {
  open = (await harness.open(target)).open
}
const timeline = (connectionId: string | undefined) =>
  query(
    `select from_status as "from", to_status as "to", detail_code as code, detail, detail_parts as parts from connection_timeline
     where connection_id = $1 order by at, id`,
    [connectionId],
  )
const setStatus = (connectionId: string | undefined, status: number) =>
  query('update connections set status = $2 where id = $1', [connectionId, status])

describe('the timeline of a connection', () => {
  it('says for whose books it was authorized', async () => {
    const [id] = await accept([grant('a')])
    expect((await timeline(id)).slice(1)).toEqual([
      { from: Status.Authorization, to: Status.Authorized, code: 'entity', detail: 'Books a', parts: { name: 'Books a' } },
    ])
  })

  it.each([
    ['that is healthy', Status.Synced, Status.Synced],
    ['that was read', Status.Structured, Status.Structured],
    ['whose owner had to sign in again', Status.Deauthorized, Status.Authorized],
    ['that is suspended', Status.Suspended, Status.Authorized],
  ])('says that one %s was authorized again, and where it goes on', async (_what, from, to) => {
    const [id] = await accept([grant('a')])
    await setStatus(id, from)
    const before = (await timeline(id)).length
    await again()
    expect(await accept([grant('a')])).toEqual([id])
    expect((await timeline(id)).slice(before)).toEqual([
      { from, to, code: 'authorizedAgain', detail: 'authorized again', parts: expect.anything() },
    ])
    expect(await query('select status from connections where id = $1', [id])).toEqual([{ status: to }])
  })

  it('says nothing of one that is being read, which goes on', async () => {
    const [id] = await accept([grant('a')])
    await setStatus(id, Status.Loading)
    const before = await timeline(id)
    await again()
    await accept([grant('a')])
    expect([await timeline(id), await query('select status from connections where id = $1', [id])]).toEqual([
      before,
      [{ status: Status.Loading }],
    ])
  })
})

describe('the credentials of a grant', () => {
  const times = async (id: string | undefined) =>
    (await query('select credentials_expires_at as expires, credentials_refresh_at as refresh from connections where id = $1', [id]))[0]

  it('are renewed before they end', async () => {
    const now = harness.sync.deps.now().getTime()
    const expiresAt = new Date(now + 100 * DAY_MS)
    const [id] = await accept([grant('a', expiresAt.toISOString())])
    const { expires, refresh } = await times(id)
    expect(expires).toEqual(expiresAt)
    expect([refresh > new Date(now), refresh < expiresAt]).toEqual([true, true])
  })

  it('that do not end are not renewed', async () => {
    const [id] = await accept([grant('a')])
    expect(await times(id)).toEqual({ expires: null, refresh: null })
  })

  it('belong to the instance’s own keys of the source, where it has some', async () => {
    const keysOf = { id: randomUUID() }
    const own = { ...open, service: { ...open.service, source: Object.assign(Object.create(open.service.source), { keysOf }) } }
    const [id] = await accept([grant('a')], own)
    expect(await query('select source_keys_id as keys from connections where id = $1', [id])).toEqual([{ keys: keysOf.id }])
    target = await harness.target()
    await again()
    const [other] = await accept([grant('a')])
    expect(await query('select source_keys_id as keys from connections where id = $1', [other])).toEqual([{ keys: null }])
  })
})

describe('what comes with a grant', () => {
  it('is attached to the connection as it is stored', async () => {
    const seen: [Connection, Connection | null][] = []
    const attach: Attach = async (inside, connection) => {
      seen.push([structuredClone(connection), await lockConnection(inside, connection.instanceId, connection.id)])
    }
    const applicationId = randomUUID()
    await accept([bank('a', 'b-1'), bank('b', 'b-2')], { ...open, link: { ...open.link, applicationId } }, attach)
    const short = (connection: Connection | null) =>
      connection && {
        ...{ id: connection.id, serviceId: connection.serviceId, applicationId: connection.applicationId, status: connection.status },
        generation: connection.credentialsGeneration,
      }
    expect(seen.map(([given]) => short(given))).toEqual(seen.map(([, stored]) => short(stored)))
    expect(seen.map(([given]) => [given.applicationId, given.credentialsGeneration, given.status])).toEqual([
      [applicationId, 1, Status.Authorized],
      [applicationId, 1, Status.Authorized],
    ])
  })

  it('is undone together with it', async () => {
    const fails: Attach = async () => {
      throw new Error('no room')
    }
    await expect(accept([grant('a')], open, fails)).rejects.toThrow('no room')
    expect(await query('select status, entity_id as entity from connections where instance_id = $1', [target.instanceId])).toEqual([
      { status: Status.Authorization, entity: null },
    ])
    expect(await query(`select from jobs where instance_id = $1 and kind = 'sync'`, [target.instanceId])).toEqual([])
  })

  it('is the consent of the link, for each connection', async () => {
    const words = { en: ['We agree.'], 'fr-CA': ['Nous acceptons.'] }
    const textHash = createHash('sha256').update('We agree.').digest()
    const given = {
      texts: words,
      textHash,
      language: 'en',
      timeZone: 'America/Toronto',
      givenAt: new Date('2026-03-01T12:00:00Z'),
    } as const
    await inTransaction(db(), (inside) => recordAgreedConsent(inside, open, given))
    const ids = await accept([bank('a', 'b-1'), bank('b', 'b-2')])
    const consents = await listConsentsOfLink(db(), target.instanceId, open.link.id)
    expect(consents.map(({ connectionId, endedAt }) => [connectionId, endedAt]).sort()).toEqual(ids.map((id) => [id, null]).sort())
  })

  it('is counted as the last step of the link', async () => {
    await countOpened(db(), { instanceId: target.instanceId, linkId: open.link.id, source: 'books', language: 'en', isFramed: false })
    await accept([grant('a')])
    const [row] = await query('select steps from link_progress where link_id = $1', [open.link.id])
    expect(row?.steps).toContain('connected')
  })
})
