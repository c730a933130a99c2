/**
 * Of a connection ($1 its instance, $2 its id), found by the record sets of its data: an index over connections alone would cost every write, and without
 * statistics, as after a first sync, PostgreSQL takes it to look up a record among all of the connection.
 */
export const THROUGH_CONNECTION = `instance_id = $1 and connection_id = $2
  and record_set = any ((select record_set_keys(company_id, service_id) from connections where instance_id = $1 and id = $2)::bigint[])`
