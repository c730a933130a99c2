/**
 * SQL of an instant that is earlier by an interval. NOTE in UTC: Citus sends no change to its nodes whose result depends on
 * the time zone of a session.
 */
export function earlier(instant: string, interval: string): string {
  return `(${instant} at time zone 'UTC' - interval '${interval}') at time zone 'UTC'`
}
