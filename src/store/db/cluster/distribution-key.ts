import type { Db } from '../database.ts'

/** `on conflict` with the columns of a unique index; on a cluster each unique index has the distribution key, too. */
export function onConflict(db: Db, columns: string): string {
  return `on conflict (${columns}${db.isDistributed ? ', company_id' : ''})`
}

/** The run that rows are written for, as SQL: parameters. */
interface RunParameters {
  instance: string
  run: string
  company: string
}

/**
 * Rows of parameters to be inserted: what stands for their company, and a FROM clause. Citus sends `insert … select` to
 * one shard only if the key is the column of a distributed table, so on a cluster the rows are joined with their run.
 */
export function rowsOfRun(db: Db, rows: string, { instance, run, company }: RunParameters): { key: string; from: string } {
  if (!db.isDistributed) return { key: company, from: `from ${rows}` }
  return {
    key: 'own_run.company_id',
    from: `from sync_runs own_run cross join ${rows} where own_run.instance_id = ${instance} and own_run.id = ${run} and own_run.company_id = ${company}`,
  }
}
