/** Thrown when the configured PostgreSQL is unsuitable and waiting does not help. */
export class UnsupportedDatabase extends Error {
  override readonly name = 'UnsupportedDatabase'
}
