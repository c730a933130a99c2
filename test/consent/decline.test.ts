import { beforeEach, describe, expect, it } from 'vitest'
import { SourceError } from '../../src/connectors/contract/contract.ts'
import { Status } from '../../src/model/statuses.ts'
import { type Authorization, createAuthorization } from '../../src/store/connections/authorizations.ts'
import { listConsentsOfLink } from '../../src/store/connections/consents.ts'
import { countOpened } from '../../src/store/connections/link-progress.ts'
import { Declined, recordAuthorizationFailure } from '../../src/sync/authorize/authorization-failure.ts'
import { timeOutAuthorizations } from '../../src/sync/authorize/authorization-timeout.ts'
import { beginAuthorization } from '../../src/sync/authorize/authorize.ts'
import type { GivenConsent } from '../../src/sync/authorize/consent.ts'
import { declineLink } from '../../src/sync/authorize/decline.ts'
import { EntityMismatch } from '../../src/sync/authorize/grant.ts'
import { openForTests } from '../harness/for-tests.ts'
import { openLinksHarness } from '../links/harness.ts'
import { companyActions } from '../sync/harness.ts'

const harness = openForTests(openLinksHarness)
const AT = new Date('2026-03-01T12:00:00Z')
const GIVEN: GivenConsent = {
  ...{
    texts: { en: ['We agree.'], 'fr-CA': ['D’accord.'] },
    textHash: Buffer.from('01', 'hex'),
    language: 'en',
    timeZone: 'UTC',
    givenAt: AT,
  },
}

let target: Awaited<ReturnType<typeof harness.target>>
let open: Awaited<ReturnType<typeof harness.open>>['open']
beforeEach(async () => {
  await harness.sync.deps.database.query('delete from authorizations')
  target = await harness.target()
  open = (await harness.open(target)).open
  const opened = { source: 'books', language: 'en', isFramed: false } as const
  await countOpened(harness.sync.deps.database, { instanceId: target.instanceId, linkId: open.link.id, ...opened })
})
const query = async (text: string, values: unknown[] = []) => (await harness.sync.deps.database.query(text, values)).rows
const db = () => harness.sync.deps.database
const sources = () => harness.sync.deps.sources
const connections = () =>
  query('select status, fault_code as code, entity_id as entity, email from connections where instance_id = $1 order by created_at', [
    target.instanceId,
  ])
const events = async () =>
  (await query('select body from events where instance_id = $1 order by created_at', [target.instanceId])).map(({ body }) => {
    const { Data } = JSON.parse(body)
    return [Data.Code, Data.IssuedAs]
  })
const entries = async () => (await harness.recorded.entriesOf(target.instanceId)).map((entry) => ('action' in entry ? entry.action : ''))
const steps = async () => (await query('select steps from link_progress where link_id = $1', [open.link.id]))[0]?.steps
const decline = (read: GivenConsent | null = GIVEN) => harness.recorded.acting(() => declineLink(db(), sources(), open, read, AT))
const ledger = async () =>
  (await listConsentsOfLink(db(), target.instanceId, open.link.id)).map(({ endedHow, endedAt }) => [endedHow, endedAt])

describe('an owner who declines a link', () => {
  it('before agreeing is recorded, with the text that was read, and the subscribers are told', async () => {
    expect(await decline()).toBe(true)
    expect(await connections()).toEqual([{ status: Status.AuthorizationError, code: 'declined', entity: null, email: 'dev@example.com' }])
    expect([await ledger(), await events(), await entries()]).toEqual([
      ...[[['declined', AT]], [[Status.AuthorizationError, 'Manual']], ['consent.declined']],
    ])
    expect((await steps()).sort()).toEqual(['declined', 'opened'])
  })

  it('whose text was not the current one is recorded without a text', async () => {
    expect(await decline(null)).toBe(true)
    expect([await ledger(), (await connections()).length]).toEqual([[], 1])
  })

  it('after agreeing takes the consent back, on the connection that was begun', async () => {
    const { connectionId } = await beginAuthorization(db(), open, GIVEN)
    expect(await decline()).toBe(true)
    expect([await ledger(), (await connections()).length]).toEqual([[['withdrawn', AT]], 1])
    const [row] = await query('select status from connections where id = $1', [connectionId])
    expect(row).toEqual({ status: Status.AuthorizationError })
  })

  it('twice declines once', async () => {
    await decline()
    await decline()
    expect([await ledger(), (await connections()).length, (await events()).length]).toEqual([[['declined', AT]], 1, 1])
  })

  it('after the link was used changes nothing', async () => {
    await query('update links set completed_at = now() where id = $1', [open.link.id])
    expect(await decline()).toBe(false)
    expect([await ledger(), await connections(), await events(), await entries()]).toEqual([[], [], [], []])
  })
})

describe('an authorization', () => {
  const given = async () => (await beginAuthorization(db(), open, GIVEN)).connectionId
  const authorization = async (connectionId: string, lifeMinutes = 30): Promise<Authorization> => {
    const of = { instanceId: target.instanceId, id: connectionId, linkId: open.link.id, connectionId, sourceKeysId: null }
    await createAuthorization(db(), { ...of, stateHash: Buffer.from(connectionId), memo: null, memoMatch: null, lifeMinutes })
    return { ...of, memo: null }
  }
  const fail = (pending: Authorization, error: unknown) =>
    harness.recorded.acting(() => recordAuthorizationFailure(db(), sources(), pending, error))

  it('that is begun twice has one connection, of the company and service of the link', async () => {
    const [first, second] = [await given(), (await beginAuthorization(db(), open)).connectionId]
    expect([first === second, (await connections()).length]).toEqual([true, 1])
    expect((await connections())[0]).toMatchObject({ status: Status.Authorization, entity: null, email: 'dev@example.com' })
  })

  it.each<[string, unknown, string]>([
    ['the owner declined at the source', new Declined('access_denied'), 'declined'],
    ['other books were chosen', new EntityMismatch('A', 'B'), 'otherEntity'],
    ['the source was down', new SourceError('unavailable', '503'), 'sourceUnavailable'],
    ['of a fault of ours', new Error('secret words'), 'internal'],
    ['of no error', 'text', 'internal'],
  ])('that fails because %s says so, once', async (_what, error, code) => {
    const pending = await authorization(await given())
    await fail(pending, error)
    await fail(pending, error)
    expect(await connections()).toMatchObject([{ status: Status.AuthorizationError, code }])
    expect([await events(), await entries()]).toEqual([[[Status.AuthorizationError, 'Manual']], ['authorization.failed']])
    expect((await steps()).sort()).toEqual(['agreed', code === 'declined' ? 'declined' : 'failed', 'opened'])
    const [{ text } = { text: '' }] = await query('select fault as text from connections where instance_id = $1', [target.instanceId])
    expect(text).not.toContain('secret')
  })

  it('that fails is noted on the connection that was to be repaired, where its owner chose otherwise', async () => {
    const actions = companyActions(harness.sync.deps, target.instanceId, target.companyId)
    const active = await actions.connect(harness.books)
    const noted = async (error: unknown) => {
      await query('delete from connection_timeline where connection_id = $1', [active])
      open = (await harness.open(target)).open
      await fail(await authorization((await beginAuthorization(db(), open, GIVEN)).connectionId), error)
      return (await query('select detail_code as code from connection_timeline where connection_id = $1', [active])).map(({ code }) => code)
    }
    expect(await noted(new Declined('no'))).toEqual(['declined'])
    expect(await noted(new EntityMismatch('A', 'B'))).toEqual(['otherEntity'])
    expect(await noted(new SourceError('unavailable', '503'))).toEqual([])
  })

  it('from which nobody comes back times out, once, and not while another is pending', async () => {
    const connectionId = await given()
    await authorization(connectionId)
    const timeOut = () => timeOutAuthorizations(db(), sources())
    expect([await timeOut(), (await connections())[0]?.status]).toEqual([0, Status.Authorization])
    await query(`update authorizations set expires_at = now() - interval '1 second'`)
    expect([await timeOut(), await timeOut()]).toEqual([1, 0])
    expect(await connections()).toMatchObject([{ status: Status.AuthorizationTimedOut, code: 'timedOut' }])
    expect(await events()).toEqual([[Status.AuthorizationTimedOut, 'Scheduled']])
    expect((await steps()).sort()).toEqual(['agreed', 'left', 'opened'])
  })
})
