/** Keyed statements that Citus does not take to one shard as they stand, by how they begin, with the reason. */
export const NOT_YET: readonly { begins: RegExp; reason: string }[] = [
  {
    begins: /^insert into record_(versions as kept|aliases)\b/,
    reason: 'rows without a table are sent by way of the coordinator, with COPY; on conflict has to name the key',
  },
  {
    begins: /^(insert into (staged_records as kept|quarantined_records)|with shown as \( insert into run_pages)\b/,
    reason: 'on conflict has to name the key',
  },
  {
    begins: /^(with closed as \( update record_versions|with renamed as .* insert into staged_records|insert into source_files)\b/,
    reason: 'no plan for rows that are inserted from a change, a CTE or a condition',
  },
  {
    begins: /^insert into (record_versions|staged_records) \(/,
    reason: 'no plan for rows that are inserted from a subquery, with parameters',
  },
  {
    begins: /^(with renamed as .*\(insert into record_aliases|with marked as \(insert into staged_runs)\b/,
    reason: 'changes of two tables in one statement go through the coordinator',
  },
  {
    begins: /^(update sync_runs set state = \$3, ended_at|with (abandoned|gone) as \( update sync_runs set state)\b/,
    reason: 'clock_timestamp() is volatile',
  },
]
