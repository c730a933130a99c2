import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createApi } from '../../src/api/server.ts'
import { inTransaction, openDatabase } from '../../src/store/db/database.ts'
import { requestErasure } from '../../src/sync/instances/erase.ts'
import { emptyReplica } from '../../src/sync/replication/replicate.ts'
import { TABLES } from '../../src/sync/replication/tables.ts'
import { openApiHarness } from '../api/harness.ts'
import { apiDeps } from '../harness/app/api-deps.ts'
import { takeJobs } from '../harness/app/jobs.ts'
import { tokenOf } from '../harness/app/users.ts'
import { adminUrlOf } from '../harness/database.ts'
import { openForTests } from '../harness/for-tests.ts'
import { hasOpenssl, makeIdentity } from '../harness/identities.ts'
import { testKeys } from '../harness/keys.ts'
import { addDatabase, openTargetDatabase, runReplications, show, type TargetDatabase } from './harness.ts'

const api = openForTests(openApiHarness)
let target: TargetDatabase
beforeEach(async () => {
  target = await openTargetDatabase()
})
afterEach(async () => {
  await api.syncHarness.deps.database.query('delete from export_destinations')
  await target.drop()
})

async function outcome(more: object, options: { allowPrivate?: boolean } = {}): Promise<string | null> {
  const id = await addDatabase(api, target, more)
  await runReplications(api.syncHarness.deps, options)
  const { error, state } = (await show(api, id)).replication
  expect(state).toBe(error === null ? 'current' : 'failing')
  return error
}

/** Tables of all schemas but one, with their numbers of rows. */
async function others(schema: string): Promise<unknown[]> {
  const { rows } = await target.database.query(
    `select n.nspname, c.relname, c.relkind, (xpath('/row/n/text()', query_to_xml(format('select count(*) as n from %I.%I', n.nspname, c.relname), false, true, '')))[1]::text as n
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname <> $1 and n.nspname not like 'pg\\_%' and n.nspname <> 'information_schema' and c.relkind = 'r' order by 1, 2`,
    [schema],
  )
  return rows
}

describe('the database of a customer', () => {
  it('is changed in the schema that was named only', async () => {
    await target.database.query(
      'create schema app; create table app.banking_accounts (id int); create table public.accounting_accounts (id int)',
    )
    await target.database.query('insert into app.banking_accounts values (7)')
    const before = await others('countinghouse')
    expect(await outcome({})).toBeNull()
    expect(await others('countinghouse')).toEqual(before)
    expect(before).toHaveLength(2)
  })

  it('keeps tables of its own in that schema, and is told to name another one', async () => {
    await target.database.query(
      'create schema shared; create table shared.banking_accounts (mine text); create table shared.other (id int)',
    )
    expect(await outcome({ schema: 'shared' })).toMatch(/tables of these names that are not from here/)
    const { rows } = await target.database.query(`select relname from pg_class where relnamespace = 'shared'::regnamespace order by 1`)
    expect(rows).toEqual([{ relname: 'banking_accounts' }, { relname: 'other' }])
  })

  it('takes one destination a schema', async () => {
    await addDatabase(api, target)
    await runReplications(api.syncHarness.deps)
    expect(await outcome({})).toBe('The schema belongs to another destination. Name a schema of its own.')
    expect(await outcome({ schema: 'second' })).toBeNull()
  })

  it('whose user may not make a schema says what is missing', async () => {
    const admin = openDatabase(await adminUrlOf(target.url))
    await admin.query(`alter database ${target.name} owner to current_user`)
    expect(await outcome({})).toBe('The user may not do that: it has to own the schema and its tables, or be allowed to create the schema.')
    await admin.query(`create schema given authorization ${target.user}`)
    expect(await outcome({ schema: 'given' })).toBeNull()
    await admin.end()
  })

  it.each([
    { what: 'is not there', more: { database: 'nowhere' }, error: 'There is no database of this name.' },
    { what: 'answers nothing', more: { port: 1 }, error: 'The database cannot be reached.' },
    { what: 'offers no encryption', more: { tls: 'verify' }, error: /does not offer encryption|broke off/ },
  ])('that $what is named, and tried again', async ({ more, error }) => {
    expect(await outcome(more)).toMatch(error)
  })

  it('on a private address is reached only where the deployment allows it', async () => {
    expect(await outcome({}, { allowPrivate: false })).toBe('The database cannot be reached.')
  })

  it('gets rows, and no files', async () => {
    const id = await addDatabase(api, target)
    const body = { companyId: null, category: 'Banking', entity: 'Accounts', format: 'csv' }
    const exported = (await api.call('POST', '/normalized-data/exports', { body })).json() as unknown as { id: string }
    const refused = await api.call('POST', `/normalized-data/exports/${exported.id}/deliver`, { body: { destinationId: id } })
    expect([refused.statusCode, refused.body]).toEqual([409, expect.stringContaining('takes no files')])
  })
})

describe.skipIf(!hasOpenssl)('encryption (skipped only where openssl is not installed)', () => {
  it('is checked: the authority, and the name of the host', async () => {
    const [identity, other] = [makeIdentity('db'), makeIdentity('db', 'DNS:db.example.com')]
    const wrongHost = await openTargetDatabase(other)
    const gate = await openTargetDatabase(identity)
    const at = (database: TargetDatabase) => ({ port: database.port, database: database.name, tls: 'verify' })
    expect(await outcome(at(gate))).toBe('The certificate of the database is not valid for this host.')
    expect(await outcome({ ...at(wrongHost), certificateAuthority: other.certificate })).toBe(
      'The certificate of the database is not valid for this host.',
    )
    expect(await outcome({ ...at(gate), certificateAuthority: identity.certificate })).toBeNull()
    const { rows } = await gate.database.query('select count(*)::int as n from countinghouse.accounting_accounts')
    expect(rows).toEqual([{ n: 12 }])
    await gate.drop()
    await wrongHost.drop()
  })
})

describe('a destination in production', () => {
  it('is encrypted and on the public internet', async () => {
    const strict = createApi(apiDeps({ sync: api.syncHarness.deps, keys: await testKeys(), allowPrivate: false }))
    const token = await tokenOf(strict, api.emails.admin)
    const add = async (more: object) => {
      const payload = { kind: 'postgres', name: 'W', database: 'd', user: 'u', password: 'p', schema: 's', ...more }
      const answer = await strict.inject({
        ...{ method: 'POST', url: '/admin/api/v1/export-destinations' },
        ...{ headers: { authorization: `Bearer ${token}` }, payload },
      })
      return [answer.statusCode, answer.body]
    }
    expect(await add({ host: 'db.example.com', tls: 'off' })).toEqual([400, expect.stringContaining('must be verify')])
    for (const host of ['127.0.0.1', '10.1.2.3', '169.254.169.254', '::1', 'localhost', 'db.internal'])
      expect([host, await add({ host })]).toEqual([host, [400, expect.stringContaining('public internet')]])
    for (const schema of ['pg_catalog', 'information_schema', 'a"b', 'Upper', ''])
      expect([schema, (await add({ host: 'db.example.com', schema }))[0]]).toEqual([schema, 400])
    expect((await add({ host: 'db.example.com', certificateAuthority: 'none' }))[1]).toContain('certificate in PEM')
    expect((await add({ host: 'db.example.com' }))[0]).toBe(201)
    await strict.close()
  })
})

describe('an instance that is erased', () => {
  it('leaves no rows, and its files are deleted at their destinations', async () => {
    const { database } = api.syncHarness.deps
    const id = await addDatabase(api, target)
    await runReplications(api.syncHarness.deps)
    const { instanceId } = api.syncHarness
    await inTransaction(database, (db) => requestErasure(db, { id: instanceId, name: 'Lender', kind: 'live' }))
    const jobs = await takeJobs(database, 'emptyReplica')
    expect(jobs.map(({ payload }) => payload)).toEqual([{ destinationId: id }])
    for (const job of jobs) expect(await emptyReplica({ ...api.syncHarness.deps, allowPrivate: true }, job)).toEqual({ done: true })
    for (const { name } of TABLES) expect((await target.database.query(`select from countinghouse.${name}`)).rowCount).toBe(0)
  })
})
