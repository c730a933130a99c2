/** Reason of a failure for logs and messages: its text, or its code where it has none, as when several addresses of a host refused. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.message || String('code' in error ? error.code : error.name)
}
