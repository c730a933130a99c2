import { beforeEach, describe, expect, it } from 'vitest'
import type { Grant } from '../../src/connectors/contract/contract.ts'
import { toChildServiceId } from '../../src/model/catalogue.ts'
import { Status } from '../../src/model/statuses.ts'
import { beginAuthorization } from '../../src/sync/authorize/authorize.ts'
import { acceptGrants, EntityMismatch } from '../../src/sync/authorize/grant.ts'
import { suspend } from '../../src/sync/connection/connection-actions.ts'
import { readCredentials } from '../../src/sync/credentials/credentials.ts'
import { LinkAlreadyUsed } from '../../src/sync/links/errors.ts'
import type { OpenLink } from '../../src/sync/links/link.ts'
import { takeJobs } from '../harness/app/jobs.ts'
import { openForTests } from '../harness/for-tests.ts'
import { openLinksHarness } from '../links/harness.ts'

const harness = openForTests(openLinksHarness)
const APPLICATION = '11111111-1111-4111-8111-111111111111'
const db = () => harness.sync.deps.database
const query = async (text: string, values: unknown[] = []) => (await db().query(text, values)).rows

let target: Awaited<ReturnType<typeof harness.target>>
beforeEach(async () => {
  await query('delete from jobs')
  target = await harness.target()
})

const grant = (entity: string, more: Partial<Grant> = {}): Grant => ({
  credentials: { secret: { token: entity }, expiresAt: null },
  entity: { id: entity, name: `Books ${entity}` },
  ...more,
})
const bank = (entity: string, id = 'b-1') => grant(entity, { institution: { id, name: `Bank ${id}` } })

async function accept(grants: Grant[], change: (open: OpenLink) => OpenLink = (open) => open, options: { reason?: 'first' | 'file' } = {}) {
  const { open } = await harness.open(target)
  const { connectionId } = await beginAuthorization(db(), open)
  const attached: string[] = []
  const attach = async (_db: unknown, { id }: { id: string }) => void attached.push(id)
  const linked = await harness.recorded.acting(() =>
    acceptGrants(harness.sync.deps, change(open), connectionId, grants, attach, options.reason),
  )
  return { linked, connectionId, open, attached }
}
const rows = () =>
  query(
    `select id, service_id as "serviceId", entity_id as entity, entity_name as name, reference, email, status, credentials_generation as generation,
       application_id as application, reidentify from connections where instance_id = $1 order by created_at, id`,
    [target.instanceId],
  )
const plain = () => ({ serviceId: target.serviceId, reference: null, application: null, reidentify: false, status: Status.Authorized })
const syncs = async () =>
  (await takeJobs(db(), 'sync')).map(({ payload, provider }: { payload: object; provider?: string }) => [payload, provider])

describe('a grant', () => {
  it('makes the connection that was begun one of these books, with its credentials, and queues the first read', async () => {
    const { linked, connectionId, open, attached } = await accept([grant('a', { reference: 'handle', email: 'owner@example.com' })])
    expect(linked).toEqual([
      { connectionId, serviceId: target.serviceId, serviceName: 'Scripted Books', entityName: 'Books a', isReconnect: false },
    ])
    expect(await rows()).toEqual([
      { ...plain(), id: connectionId, entity: 'a', name: 'Books a', reference: 'handle', email: 'owner@example.com', generation: 1 },
    ])
    const key = { instanceId: target.instanceId, id: connectionId }
    expect((await readCredentials(db(), harness.sync.deps, key)).credentials).toEqual({ secret: { token: 'a' }, expiresAt: null })
    expect((await syncs()).map(([payload]) => payload)).toEqual([{ connectionId, reason: 'first', isAwaited: true }])
    expect(attached).toEqual([connectionId])
    expect(await harness.recorded.entriesOf(target.instanceId)).toEqual([
      {
        ...{ action: 'connection.authorized', subject: `connection/${connectionId}` },
        details: { linkId: open.link.id, serviceId: target.serviceId, isReconnect: false },
      },
    ])
    await expect(acceptGrants(harness.sync.deps, open, connectionId, [grant('a')])).rejects.toThrow(LinkAlreadyUsed)
  })

  it('belongs to the application and the keys of its link', async () => {
    const { connectionId } = await accept([grant('a')], (open) => ({ ...open, link: { ...open.link, applicationId: APPLICATION } }))
    expect(await rows()).toMatchObject([{ id: connectionId, application: APPLICATION }])
  })

  it('of an authorization that was ended is refused', async () => {
    const { open } = await harness.open(target)
    const { connectionId } = await beginAuthorization(db(), open)
    await query('delete from connections where id = $1', [connectionId])
    await expect(acceptGrants(harness.sync.deps, open, connectionId, [grant('a')])).rejects.toThrow(LinkAlreadyUsed)
    expect([await rows(), await harness.isUsable(open.link.id)]).toEqual([[], undefined])
  })
})

describe('several grants', () => {
  it('of banks make a connection each, at services of their own', async () => {
    const { linked, connectionId } = await accept([bank('a', 'b-1'), bank('b', 'b-2')])
    const ids = ['b-1', 'b-2'].map((id) => toChildServiceId(target.instanceId, 'books', id))
    expect(linked.map(({ serviceId, serviceName }) => [serviceId, serviceName])).toEqual([
      [ids[0], 'Bank b-1'],
      [ids[1], 'Bank b-2'],
    ])
    expect(linked[0]?.connectionId).toBe(connectionId)
    expect((await rows()).map(({ serviceId, entity, generation }) => [serviceId, entity, generation])).toEqual([
      [ids[0], 'a', 1],
      [ids[1], 'b', 1],
    ])
    expect(
      await query('select name, institution_id as id from child_services where instance_id = $1 order by 1', [target.instanceId]),
    ).toEqual([
      { name: 'Bank b-1', id: 'b-1' },
      { name: 'Bank b-2', id: 'b-2' },
    ])
  })

  it('none of which is wanted leave nothing', async () => {
    const { linked, connectionId } = await accept([])
    expect([linked, (await rows()).some(({ id }) => id === connectionId)]).toEqual([[], false])
  })
})

describe('a grant for books that are connected', () => {
  let before: string
  beforeEach(async () => {
    before = (await accept([grant('a')])).connectionId
    await query('delete from jobs')
  })

  it('renews that connection, and the one that was begun is gone', async () => {
    const { linked, connectionId } = await accept([grant('a', { credentials: { secret: { token: 'new' }, expiresAt: null } })])
    expect(linked).toMatchObject([{ connectionId: before, isReconnect: true }])
    expect([before === connectionId, (await rows()).length]).toEqual([false, 1])
    expect(await rows()).toMatchObject([{ ...plain(), id: before, generation: 2, reidentify: true }])
    expect((await syncs()).map(([payload]) => payload)).toEqual([{ connectionId: before, reason: 'reconnect', isAwaited: true }])
    const { credentials } = await readCredentials(db(), harness.sync.deps, { instanceId: target.instanceId, id: before })
    expect(credentials.secret).toEqual({ token: 'new' })
    const [noted] = await query('select detail_code as code from connection_timeline where connection_id = $1 order by at desc limit 1', [
      before,
    ])
    expect(noted).toEqual({ code: 'authorizedAgain' })
  })

  it('by files adds to them, and nothing has to be found again', async () => {
    const { linked } = await accept([grant('a')], undefined, { reason: 'file' })
    expect(linked).toMatchObject([{ connectionId: before, isReconnect: true }])
    expect(await rows()).toMatchObject([{ reidentify: false }])
    expect((await syncs()).map(([payload]) => payload)).toMatchObject([{ reason: 'file' }])
  })

  it('lets a suspended connection go on', async () => {
    await suspend(harness.sync.deps, target)
    await accept([grant('a')])
    const [row] = await query('select status, owner_paused_at as owner, operator_suspended_at as operator from connections where id = $1', [
      before,
    ])
    expect(row).toEqual({ status: Status.Authorized, owner: null, operator: null })
  })

  it('and is for others is refused, and changes nothing', async () => {
    const unchanged = await rows()
    const error = await accept([grant('b')]).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(EntityMismatch)
    expect(error).toMatchObject({ before: 'Books a', now: 'Books b' })
    expect((await rows()).filter(({ id }) => id === before)).toEqual(unchanged)
    expect(await syncs()).toEqual([])
  })

  it('of another company makes a connection of its own', async () => {
    target = await harness.target(target.instanceId)
    const { linked } = await accept([grant('a')])
    expect(linked).toMatchObject([{ isReconnect: false }])
    expect((await rows()).length).toBe(2)
  })
})

describe('a link for one bank', () => {
  const ofBank = (open: OpenLink): OpenLink => ({ ...open, service: { ...open.service, institutionId: 'b-1' } })

  it('takes a grant for that bank', async () => {
    expect((await accept([bank('a')], ofBank)).linked).toMatchObject([{ serviceName: 'Bank b-1' }])
  })

  it.each([
    ['for another bank', bank('a', 'b-2')],
    ['for no bank', grant('a')],
  ])('refuses one %s', async (_what, given) => {
    await expect(accept([given], ofBank)).rejects.toMatchObject({ before: 'Scripted Books', now: 'Books a' })
  })
})
