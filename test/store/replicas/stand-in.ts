import pg from 'pg'
import { connectionOf } from '../../../src/store/db/connection/database-url.ts'
import type { Database } from '../../../src/store/db/database.ts'
import type { Mark } from '../../../src/store/db/replicas/marks.ts'
import { databaseOfOneServer } from '../../harness/database.ts'
import { DatabaseProxy } from '../database-proxy.ts'

/**
 * What a standby says of itself, by names that come before those of PostgreSQL: whether it is one, how far it has
 * replayed, and the process that answers, which is another behind a pooler.
 */
const STANDBY = `
  create schema standby;
  create table standby.facts (is_standby boolean, position pg_lsn, pid integer, feedback text, cluster text, is_encrypted boolean);
  insert into standby.facts values (true, '0/0', null, 'on', null, false);
  create sequence standby.asked;
  create function standby.pg_is_in_recovery() returns boolean language sql as
    $$ select is_standby from standby.facts where pg_catalog.nextval('standby.asked') > 0 $$;
  create function standby.pg_last_wal_replay_lsn() returns pg_lsn language sql as 'select position from standby.facts';
  create function standby.pg_backend_pid() returns integer language sql as
    'select coalesce(pid, pg_catalog.pg_backend_pid()) from standby.facts';
  create function standby.current_setting(text) returns text language sql as
    $$ select case $1 when 'hot_standby_feedback' then feedback else pg_catalog.current_setting($1) end from standby.facts $$;
  create view standby.pg_control_system as
    select coalesce(cluster, system_identifier::text) as system_identifier from pg_catalog.pg_control_system(), standby.facts;
  create function standby.pg_control_system() returns standby.pg_control_system language sql as
    'select * from standby.pg_control_system';
  create view standby.pg_stat_ssl as select pg_catalog.pg_backend_pid() as pid, is_encrypted as ssl from standby.facts`

interface StandbyFacts {
  is_standby: boolean
  position: string | null
  pid: number | null
  feedback: string
  cluster: string | null
  is_encrypted: boolean
}

/**
 * A database that stands in for a standby of another: it replays nothing by itself, so that a test decides what it has.
 */
export class StandIn {
  readonly database: pg.Pool
  /** In front of it; a second one makes two replicas of it. */
  readonly proxy: DatabaseProxy
  /** Its own address, for further proxies. */
  readonly ownUrl: string
  readonly #drop: () => Promise<void>

  private constructor(database: pg.Pool, url: string, proxy: DatabaseProxy, drop: () => Promise<void>) {
    this.ownUrl = url
    this.database = database
    this.proxy = proxy
    this.#drop = drop
  }

  static async open(): Promise<StandIn> {
    const { database, url, drop } = await databaseOfOneServer({ isDirect: true })
    await database.query(STANDBY)
    const { rows } = await database.query<{ name: string }>('select quote_ident(current_database()) as name')
    await database.query(`alter database ${rows[0]?.name} set search_path = public, standby, pg_catalog`)
    // The service’s own pool takes no standby.
    const own = new pg.Pool({ ...connectionOf(url), max: 3 })
    own.on('error', () => undefined)
    return new StandIn(own, url, await DatabaseProxy.open(url), async () => {
      await own.end()
      await drop()
    })
  }

  get url(): string {
    return this.proxy.url
  }

  /** Changes what it says of itself. */
  async say(facts: Partial<StandbyFacts>): Promise<void> {
    for (const [name, value] of Object.entries(facts)) await this.database.query(`update standby.facts set ${name} = $1`, [value])
  }

  /** It is a standby again, which has replayed and shows nothing. */
  async reset(): Promise<void> {
    await this.say({ is_standby: true, position: '0/0', pid: null, feedback: 'on', cluster: null, is_encrypted: false })
    await this.database.query('truncate read_marks')
    await this.proxy.reopen()
  }

  /** Replays all that the primary has. */
  async follow(primary: Database): Promise<void> {
    const { rows } = await primary.query<{ slot: number; id: string }>('select slot, id from read_marks')
    const end = await primary.query<{ position: string }>('select pg_current_wal_insert_lsn()::text as position')
    await this.show(...rows)
    await this.say({ position: end.rows[0]?.position ?? null })
  }

  /** It shows these marks. */
  async show(...marks: readonly Pick<Mark, 'id' | 'slot'>[]): Promise<void> {
    for (const { slot, id } of marks)
      await this.database.query(`insert into read_marks values ($1, $2, '0/0', now()) on conflict (slot) do update set id = excluded.id`, [
        slot,
        id,
      ])
  }

  /** How often it was asked whether it is a standby, by probes and guards. */
  async countAsked(): Promise<number> {
    const { rows } = await this.database.query<{ n: string }>(
      'select case when is_called then last_value else 0 end as n from standby.asked',
    )
    return Number(rows[0]?.n)
  }

  async close(): Promise<void> {
    this.proxy.close()
    await this.#drop()
  }
}
