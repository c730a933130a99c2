import type { Database } from '../../../src/store/db/database.ts'

/**
 * What the nodes of a cluster are asked, by names that Citus would have. `pg_catalog` comes last, so that they are found
 * before those of PostgreSQL. The shards of `source_files` are tables of this one server, which is both nodes.
 */
const CLUSTER = `
  create schema nodes;
  create table nodes.pg_dist_shard (logicalrelid regclass, shardid bigint);
  create table nodes.pg_dist_placement (shardid bigint, groupid integer);
  create table nodes.pg_dist_node (groupid integer, nodename text, nodeport integer, noderole text);
  create table nodes.unfinished (gid text);
  create view nodes.pg_prepared_xacts as select pg_catalog.current_database() as database, gid from nodes.unfinished;
  create function nodes.shard_name(regclass, bigint) returns text language sql as $$ select 'nodes.shard_' || $2 $$;
  create table nodes.shard_1 (like source_files including defaults);
  create table nodes.shard_2 (like source_files including defaults);
  insert into nodes.pg_dist_shard values ('source_files', 2), ('source_files', 1), ('companies', 3);
  insert into nodes.pg_dist_placement values (1, 0), (2, 1), (3, 1);
  create table two_phase_commits (id integer primary key, note text)`

/** Lays the tables of a cluster out anew: the coordinator, with one shard, and a node with another, at the same address. */
export async function layOutNodes(database: Database, node: { host: string; port: number }): Promise<void> {
  await database.query('drop schema if exists nodes cascade; drop table if exists two_phase_commits')
  await database.query(CLUSTER)
  await database.query(
    `insert into nodes.pg_dist_node values (0, $1, $2, 'primary'), (1, $1, $2, 'primary'), (1, 'standby', 1, 'secondary')`,
    [node.host, node.port],
  )
  const { rows } = await database.query<{ name: string }>('select quote_ident(current_database()) as name')
  await database.query(`alter database ${rows[0]?.name} set search_path = public, nodes, pg_catalog`)
}
