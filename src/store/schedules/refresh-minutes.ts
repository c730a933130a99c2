/** Time of the next scheduled refresh of a connection that has none. Finite, so that release 1.0.0 can print it. */
export const NEVER_DUE = `timestamptz '9999-12-31 00:00:00+00'`

/** SQL over `connections c`: minutes between two scheduled refreshes: its own, its bank's, its source's; 0: never. */
export const REFRESH_MINUTES = `coalesce(c.refresh_minutes,
  (select s.minutes from refresh_schedules s where s.instance_id = c.instance_id and (s.service_id = c.service_id or s.connector_key = c.connector_key)
   order by s.service_id = c.service_id desc limit 1),
  c.refresh_hours * 60)`

/** SQL over `connections c`: whether it waits for neither its owner nor anybody else, and has not ended. */
export const IS_READ = 'c.status not in (6, 7, 8, 20, 26, 27)'

/**
 * SQL over `connections c`: its next scheduled refresh; null where none will come: it waits for its owner, is
 * suspended, has ended, or is never due.
 */
export const SCHEDULED_AT = `case when ${IS_READ} then nullif(c.update_scheduled_at, ${NEVER_DUE}) end`

/** SQL over `connections c`: whether a next refresh is scheduled. */
export const IS_SCHEDULED = `${IS_READ} and c.update_scheduled_at < ${NEVER_DUE}`
