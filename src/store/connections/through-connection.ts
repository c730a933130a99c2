/**
 * Condition for the record versions of a connection ($1 instance, $2 connection), through its record sets. An index on
 * the connection alone would slow down every write, and without statistics, as after a first sync, the planner would
 * use it to look up single records.
 */
export const THROUGH_CONNECTION = `instance_id = $1 and connection_id = $2
  and record_set = any ((select record_set_keys(company_id, service_id) from connections where instance_id = $1 and id = $2)::bigint[])`
