import { beforeEach, describe, expect, it } from 'vitest'
import { InputRefused, type RedirectCompletion, type RedirectRequest } from '../../src/connectors/contract/authorization.ts'
import { type Connector, type Credentials, type Grant, SourceError } from '../../src/connectors/contract/contract.ts'
import { createSources } from '../../src/connectors/sources.ts'
import { toServiceId } from '../../src/model/catalogue.ts'
import { Status } from '../../src/model/statuses.ts'
import { Declined } from '../../src/sync/authorize/authorization-failure.ts'
import { beginAuthorization, completeRedirect, startRedirect, submitForm, UnknownState } from '../../src/sync/authorize/authorize.ts'
import { BooksChoice, findPendingChoice, listBooks, pickBooks } from '../../src/sync/authorize/books-choice.ts'
import type { SyncDeps } from '../../src/sync/context/deps.ts'
import { openNewLink } from '../harness/app/owner-link.ts'
import { BASE_URL, syncDeps } from '../harness/app/sync-deps.ts'
import { addCompany, addInstance } from '../harness/app/tenants.ts'
import { testDatabase } from '../harness/database.ts'
import { openForTests } from '../harness/for-tests.ts'
import { testKeys } from '../harness/keys.ts'
import { ScriptedSource } from '../sync/scripted-source.ts'

/** A source that owners are sent to, and one that asks them with a form. */
class AwaySource extends ScriptedSource {
  started: RedirectRequest[] = []
  completed: RedirectCompletion[] = []
  grants: Grant[] = []
  fault: Error | null = null
  submitted: [object, Credentials | undefined][] = []
  isForm = false

  override get connector(): Connector {
    const field = { label: { en: '', 'fr-CA': '' }, required: true } as const
    const form: Connector['authorize'] = {
      step: 'form',
      fields: [
        { ...field, name: 'login', type: 'text' },
        { ...field, name: 'password', type: 'password' },
        { ...field, name: 'note', type: 'text', required: false },
      ],
      submit: async (_kit, values, reconnect) => {
        this.submitted.push([values, reconnect])
        return { credentials: this.credentials(), entity: { id: 'a', name: 'Books a' } }
      },
    }
    const redirect: Connector['authorize'] = {
      step: 'redirect',
      start: async (_kit, request) => {
        this.started.push(request)
        return { url: `https://source.example/?state=${request.state}`, memo: { step: 7 } }
      },
      complete: async (_kit, request) => {
        this.completed.push(request)
        if (this.fault) throw this.fault
        return this.grants
      },
    }
    return { ...super.connector, authorize: this.isForm ? form : redirect }
  }
}
const books = new AwaySource('books')
const opened = openForTests(async () => {
  const { database, drop } = await testDatabase()
  const sources = createSources([books.description], {
    settings: {},
    simulators: {},
    createKit: (app, hosts) => ({ http: () => Promise.reject(new Error('no HTTP')), app, hosts, now: () => new Date(0) }),
  })
  const deps: SyncDeps = syncDeps({ database, keys: await testKeys(), sources })
  return { deps, close: drop }
})

const grant = (id: string): Grant => ({ credentials: { secret: { token: id }, expiresAt: null }, entity: { id, name: `Books ${id}` } })
let target: { instanceId: string; companyId: string; serviceId: string }
beforeEach(async () => {
  const { database } = opened.deps
  await database.query('delete from source_alarms')
  const instanceId = await addInstance(database)
  target = { instanceId, companyId: await addCompany(database, instanceId), serviceId: toServiceId('books') }
  Object.assign(books, { started: [], completed: [], grants: [grant('a')], fault: null, submitted: [], isForm: false })
})
const query = async (text: string, values: unknown[] = []) => (await opened.deps.database.query(text, values)).rows
const connections = () =>
  query('select id, status, entity_id as entity, fault_code as code from connections where instance_id = $1 order by created_at', [
    target.instanceId,
  ])

async function leave(more: { institutionId?: string } = {}) {
  const { open, linkToken } = await openNewLink(opened.deps, target)
  const { connectionId } = await beginAuthorization(opened.deps.database, open)
  const started = await startRedirect(opened.deps, open, { connectionId, linkToken, locale: 'fr-CA', ...more })
  const state = books.started.at(-1)?.state ?? ''
  return { open, linkToken, connectionId, started, state }
}
type Return = Parameters<typeof completeRedirect>[1]
const comeBack = ({ state, linkToken }: { state: string; linkToken: string }, more: Partial<Return> = {}) =>
  completeRedirect(opened.deps, { state, linkToken, callback: 'books', query: { code: 'c-1' }, ...more })

describe('an owner who is sent to a source', () => {
  it('is sent with a state, our addresses, the language and the company', async () => {
    const { started, state, open } = await leave()
    expect(started).toEqual({ step: 'redirect', url: `https://source.example/?state=${state}` })
    expect(state).toMatch(/^[A-Za-z0-9_-]{43}$/)
    expect(books.started).toEqual([
      {
        ...{ callbackUrl: `${BASE_URL}/connect/callback/books`, state, locale: 'fr-CA', webhookUrl: `${BASE_URL}/hooks/books` },
        companyId: open.link.companyId,
      },
    ])
    expect((await leave({ institutionId: 'b-1' })).state).not.toBe(state)
    expect(books.started[1]).toMatchObject({ institutionId: 'b-1' })
  })

  it('comes back once, with what the connector kept, and is connected', async () => {
    const away = await leave()
    expect(await comeBack(away)).toMatchObject([{ connectionId: away.connectionId, entityName: 'Books a', isReconnect: false }])
    expect(books.completed).toEqual([{ callbackUrl: `${BASE_URL}/connect/callback/books`, query: { code: 'c-1' }, memo: { step: 7 } }])
    await expect(comeBack(away)).rejects.toThrow(UnknownState)
    expect([books.completed.length, await connections()]).toEqual([
      1,
      [{ id: away.connectionId, status: Status.Authorized, entity: 'a', code: null }],
    ])
  })

  it.each<[string, (away: { state: string; linkToken: string }) => Partial<Return>]>([
    ['another browser', () => ({ linkToken: 'x'.repeat(43) })],
    ['the address of another source', () => ({ callback: 'other' })],
    ['the shared address', () => ({ callback: null })],
    ['another state', ({ state }) => ({ state: `${state}x` })],
    ['no state', () => ({ state: '' })],
  ])('cannot come back by %s, and can still come back', async (_what, change) => {
    const away = await leave()
    await expect(comeBack(away, change(away))).rejects.toThrow(UnknownState)
    expect([books.completed, (await connections())[0]?.status]).toEqual([[], Status.Authorization])
    expect(await comeBack(away)).toMatchObject([{ connectionId: away.connectionId }])
  })

  it('cannot come back later than half an hour', async () => {
    const away = await leave()
    const [{ minutes } = { minutes: 0 }] = await query(
      'select extract(epoch from expires_at - now())::float8 / 60 as minutes from authorizations where connection_id = $1',
      [away.connectionId],
    )
    expect([minutes > 29, minutes <= 30]).toEqual([true, true])
    await query(`update authorizations set expires_at = now() - interval '1 second'`)
    await expect(comeBack(away)).rejects.toThrow(UnknownState)
    expect(books.completed).toEqual([])
  })

  it.each<[string, Partial<Return>, Partial<AwaySource>, unknown, string]>([
    ['declined', { query: { error: 'access_denied' } }, {}, Declined, 'declined'],
    ['shared nothing', {}, { grants: [] }, Declined, 'declined'],
    ['met an outage', {}, { fault: new SourceError('unavailable', '503') }, SourceError, 'sourceUnavailable'],
  ])('and %s there is told, and so is the connection', async (_what, returned, change, kind, code) => {
    const away = await leave()
    Object.assign(books, change)
    await expect(comeBack(away, returned)).rejects.toThrow(kind as typeof Error)
    expect(await connections()).toMatchObject([{ status: Status.AuthorizationError, entity: null, code }])
    await expect(comeBack(away)).rejects.toThrow(UnknownState)
  })

  it('is told no more of an error of the source than its code', async () => {
    for (const [error, words] of [
      ['access_denied', 'access_denied'],
      ['Access denied', 'refused'],
      ['x'.repeat(61), 'refused'],
    ] as const)
      await expect(comeBack(await leave(), { query: { error } })).rejects.toThrow(words)
  })

  it('raises the alarm where the source refuses our keys', async () => {
    books.fault = new SourceError('unavailable', 'invalid_client', { isClientRefused: true })
    const error = opened.deps.log.error
    opened.deps.log.error = () => undefined
    await expect(comeBack(await leave())).rejects.toThrow('invalid_client')
    opened.deps.log.error = error
    expect((await query('select connector_key as key from source_alarms')).map(({ key }) => key)).toEqual(['books'])
  })

  it('again takes along the credentials that are to be repaired', async () => {
    await comeBack(await leave())
    const away = await leave()
    expect(books.started[1]?.reconnect).toEqual(grant('a').credentials)
    expect(await comeBack(away)).toMatchObject([{ isReconnect: true }])
    expect(books.completed[1]?.reconnect).toEqual(grant('a').credentials)
  })
})

describe('an owner with several books', () => {
  const choose = async () => {
    books.grants = [grant('a'), grant('b')]
    const away = await leave()
    const choice = await comeBack(away)
    if (!(choice instanceof BooksChoice)) throw new Error('no choice')
    return { ...away, state: choice.state }
  }
  const list = (request: { state: string; linkToken: string }) => listBooks(opened.deps.database, opened.deps, request)

  it('picks one, once, in the browser that came back', async () => {
    const { state, linkToken, connectionId, open } = await choose()
    expect(await list({ state, linkToken })).toEqual([grant('a').entity, grant('b').entity])
    expect(await findPendingChoice(opened.deps.database, opened.deps.hashToken, open, linkToken)).toEqual(new BooksChoice(state))
    const stranger = { state, linkToken: 'x'.repeat(43), entityId: 'b' }
    expect([await list(stranger), await pickBooks(opened.deps, stranger)]).toEqual([null, null])
    expect(await findPendingChoice(opened.deps.database, opened.deps.hashToken, open, stranger.linkToken)).toBeNull()
    expect(await pickBooks(opened.deps, { state, linkToken, entityId: 'c' })).toBeNull()
    expect(await pickBooks(opened.deps, { state, linkToken, entityId: 'b' })).toMatchObject([{ connectionId, entityName: 'Books b' }])
    expect([await pickBooks(opened.deps, { state, linkToken, entityId: 'a' }), await list({ state, linkToken })]).toEqual([null, null])
    expect((await connections()).map(({ entity }) => entity)).toEqual(['b'])
  })

  it('who signs in again picks from the newer ones', async () => {
    const { open, linkToken, connectionId } = await choose()
    books.grants = [grant('c'), grant('d')]
    await startRedirect(opened.deps, open, { connectionId, linkToken, locale: 'en' })
    const choice = await comeBack({ state: books.started.at(-1)?.state ?? '', linkToken })
    if (!(choice instanceof BooksChoice)) throw new Error('no choice')
    expect(await list({ state: choice.state, linkToken })).toEqual([grant('c').entity, grant('d').entity])
    expect((await query('select from authorizations where instance_id = $1', [target.instanceId])).length).toBe(1)
  })
})

describe('a form', () => {
  const submit = async (values: Record<string, string>) => {
    books.isForm = true
    const { open } = await openNewLink(opened.deps, target)
    const { connectionId } = await beginAuthorization(opened.deps.database, open)
    return await submitForm(opened.deps, open, connectionId, values)
  }

  it('gives the source its fields, a password as it was typed', async () => {
    expect(await submit({ login: ' me ', password: ' s p ', other: 'x' })).toMatchObject([{ entityName: 'Books a' }])
    expect(books.submitted).toEqual([[{ login: 'me', password: ' s p ', note: '' }, undefined]])
    await submit({ login: 'me', password: 'p', note: ' n ' })
    expect(books.submitted[1]).toEqual([{ login: 'me', password: 'p', note: 'n' }, books.credentials()])
  })

  it.each([
    [{ password: 'p' }, 'login'],
    [{ login: 'me', password: '  ' }, 'password'],
  ])('that lacks something is not sent: %j', async (values, field) => {
    const error = await submit(values).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(InputRefused)
    expect(error).toMatchObject({ field, text: { en: 'This field is needed.', 'fr-CA': 'Ce champ est obligatoire.' } })
    expect(books.submitted).toEqual([])
  })

  it('is not that of a source with a redirect, nor the other way round', async () => {
    const away = await leave()
    await expect(submitForm(opened.deps, away.open, away.connectionId, {})).rejects.toThrow('no form step')
    books.isForm = true
    const { open, linkToken } = await openNewLink(opened.deps, target)
    await expect(startRedirect(opened.deps, open, { connectionId: away.connectionId, linkToken, locale: 'en' })).rejects.toThrow(
      'no step of its own',
    )
  })
})
