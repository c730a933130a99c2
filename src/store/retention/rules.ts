import { ofCompany } from '../db/row-companies/of-company.ts'

/** Classes of rows that are deleted by age alone, unless something still needs them. */
export const AGED_CLASSES = ['links', 'timeline', 'sourceFiles', 'receipts', 'versions'] as const
export type AgedClass = (typeof AGED_CLASSES)[number]

/** Conditions for deleting rows of one class, and for keeping them. All SQL uses the alias `t`. */
export interface RetentionRule {
  table: string
  /** Age of a row: the column that leads the index by which expired rows are found; the id follows it. */
  age: string
  /** Condition of the partial index, if any. */
  where: string
  /** True for an expired row that must stay. `$1` is the instant before which rows have expired. */
  needed: string
  /** Deletes the row; `emptied` names a column that is set to null instead. */
  emptied?: string
}

const OF_SAME_CONNECTION = 'o.instance_id = t.instance_id and o.connection_id = t.connection_id'

/** Retention rules. The reasons are in docs/retention.md. */
export const RULES: Readonly<Record<AgedClass, RetentionRule>> = {
  // A link opens nothing after its expiry. The consent that was given through it keeps every word that was shown.
  links: {
    table: 'links',
    age: 'expires_at',
    where: 'true',
    needed: `exists (select from consents k where k.instance_id = t.instance_id and k.link_id = t.id and k.ended_at is null)
      or exists (select from links f where f.instance_id = t.instance_id and f.parent_id = t.id and f.expires_at >= $1)`,
  },
  // Stay: the present status, since when it has been connected, and since when its owner is needed.
  timeline: {
    table: 'connection_timeline',
    age: 'at',
    where: 'true',
    needed: `not exists (select from connection_timeline o where ${OF_SAME_CONNECTION} and o.at > t.at)
      or t.to_status = 9 and not exists (select from connection_timeline o where ${OF_SAME_CONNECTION} and o.to_status = 9 and o.at < t.at)
      or t.to_status = 8 and not exists (select from connection_timeline o where ${OF_SAME_CONNECTION} and o.to_status = 8 and o.at > t.at)`,
  },
  // The raw pages hold what was read of a file. Its row stays and recognizes a second upload.
  sourceFiles: {
    table: 'source_files',
    age: 'received_at',
    where: 'sealed is not null',
    needed: `not exists (select from sync_runs o where ${OF_SAME_CONNECTION} and ${ofCompany('o.company_id', 't.company_id')} and o.started_at > t.received_at
      and o.state in ('published', 'unchanged') and o.reason <> 'replay')`,
    emptied: 'sealed',
  },
  // Proof for the owner, as long as the data it speaks of may still be there.
  receipts: {
    table: 'receipts',
    age: 'issued_at',
    where: 'true',
    needed: 'exists (select from connections o where o.instance_id = t.instance_id and o.id = t.connection_id and o.erased_at is null)',
  },
  // Replay and explanations of what is published read current versions only; `asOf` is refused before the horizon.
  versions: { table: 'record_versions', age: 'valid_to', where: 'valid_to is not null', needed: 'false' },
}
