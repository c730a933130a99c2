import { describe, expect, it } from 'vitest'
import { TWO_PHASE_TABLE } from '../../src/store/db/cluster/cluster-transaction.ts'
import { openDatabase } from '../../src/store/db/database.ts'
import { isBoundByRowSecurity } from '../../src/store/db/row-security.ts'
import { adminUrlOf } from '../harness/database.ts'
import { databaseForTests } from '../harness/for-tests.ts'

const test = databaseForTests()

describe('the tables', () => {
  /** Tables that belong to no customer. */
  const SHARED = [
    ...[
      'deployment_pause',
      'directories',
      'ended_sessions',
      'filled_rows',
      'indexed_publications',
      'filled_company_texts',
      'institutions',
      'key_fingerprint',
      'known_networks',
      'last_backup',
      'login_rate_limits',
      'page_spans',
      'quota_defaults',
      'read_marks',
      'recent_changes_epoch',
      'schema_functions',
      'schema_migrations',
    ],
    ...[
      'source_alarms',
      'source_breakers',
      'source_limits',
      'source_pauses',
      'unclaimed_objects',
      'unknown_logins',
      'version_horizon',
      'workers',
    ],
  ]

  it('all isolate instances, except those that belong to none', async () => {
    const shared = test.database.isDistributed ? [...SHARED, TWO_PHASE_TABLE] : SHARED
    const { rows } = await test.database.query<{ name: string; problem: string }>(
      `select c.relname as name, concat_ws(', ', case when not c.relrowsecurity then 'not enabled' end, case when not c.relforcerowsecurity and pg_has_role(c.relowner, 'USAGE') then 'not forced on its owner' end,
         case when not exists (select from pg_policy p where p.polrelid = c.oid and p.polname = 'one_instance' and p.polcmd = '*' and p.polpermissive
           and p.polqual is not null and p.polwithcheck is not null) then 'no policy' end,
         case when (select count(*) from pg_policy p where p.polrelid = c.oid) > 1 then 'policies that let more through' end,
         case when not exists (select from pg_attribute a where a.attrelid = c.oid and a.attnotnull
           and a.attname = case c.relname when 'instances' then 'id' else 'instance_id' end) then 'rows without an instance' end) as problem
       from pg_class c where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p', 'm', 'f') order by 1`,
    )
    expect(rows.filter(({ name, problem }) => problem !== '' && !shared.includes(name))).toEqual([])
    // A stale name would exempt the next table of that name.
    expect(shared.filter((name) => !rows.some((row) => row.name === name))).toEqual([])
  })

  it('are exposed through no view and no security-definer function', async () => {
    const { rows } = await test.database.query(
      `select c.relname as name from pg_class c where c.relnamespace = current_schema()::regnamespace and c.relkind = 'v'
         and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
       union all select p.proname from pg_proc p where p.pronamespace = current_schema()::regnamespace and p.prosecdef`,
    )
    expect(rows).toEqual([])
  })

  it('apply to the service’s role, but not to a superuser, which the log warns of', async () => {
    const superuser = openDatabase(await adminUrlOf(test.url), { max: 1 })
    expect([await isBoundByRowSecurity(test.database), await isBoundByRowSecurity(superuser)]).toEqual([true, false])
    await superuser.end()
  })
})
