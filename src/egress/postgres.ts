import pg from 'pg'
import { isPlainAllowed } from './allowed-hosts.ts'
import { EgressError } from './egress-error.ts'
import { openGuardedSocket } from './guarded-socket.ts'

/** Customer's database. */
export interface PostgresServer {
  host: string
  port: number
  database: string
  user: string
  /** `verify`: encrypted, with a certificate for this host; `off`: neither. */
  tls: 'verify' | 'off'
  /** In PEM; null: the authorities of Node.js. */
  certificateAuthority: string | null
}

/** Thrown when a database cannot be used; the message is our own text, since the server's could contain anything. */
export class PostgresRefused extends Error {
  override readonly name = 'PostgresRefused'
}

const CONNECT_MS = 15_000
/** Deadline of one statement. */
const QUERY_MS = 300_000
/** Deadline of closing: a server that has vanished does not answer. */
const END_MS = 2_000
/** Limit of received bytes per connection: responses are short, so a server that sends more is not read any further. */
const MAX_BYTES = 64 * 1024 * 1024

/** One connection, guarded like all other outgoing connections. */
export interface PostgresConnection {
  /** Throws `PostgresRefused`. */
  query<Row extends pg.QueryResultRow = pg.QueryResultRow>(text: string, values?: unknown[]): Promise<pg.QueryResult<Row>>
  close(): Promise<void>
}

/** Throws `PostgresRefused`. */
export async function openPostgres(server: PostgresServer, password: string, allowPrivate: boolean): Promise<PostgresConnection> {
  const { host, port, database, user, tls, certificateAuthority: ca } = server
  if (tls === 'off' && !isPlainAllowed()) throw new PostgresRefused('The operator requires encryption (TLS) for every connection.')
  const socket = await openGuardedSocket(host, port, { allowPrivate, timeoutMs: CONNECT_MS }).catch((error: unknown) => {
    throw toRefusal(error)
  })
  // NOTE `pg` connects its stream itself, by the name; this stream is already connected, to an address that was checked.
  const stream = Object.assign(socket, {
    connect: () => {
      process.nextTick(() => socket.emit('connect'))
      return socket
    },
  })
  const client = new pg.Client({
    ...{ host, port, database, user, password, stream: () => stream },
    ssl: tls === 'verify' ? { rejectUnauthorized: true, ca: ca ?? undefined } : false,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: QUERY_MS,
    application_name: 'countinghouse',
  })
  // NOTE without a listener, a broken connection would end the process; pending queries fail by themselves.
  client.on('error', () => undefined)
  const watch = setInterval(() => socket.bytesRead > MAX_BYTES && socket.destroy(), 500).unref()
  const close = async () => {
    clearInterval(watch)
    const deadline = setTimeout(() => socket.destroy(), END_MS)
    await client.end().catch(() => undefined)
    clearTimeout(deadline)
    socket.destroy()
  }
  try {
    await client.connect()
  } catch (error) {
    await close()
    throw toRefusal(error)
  }
  return {
    query: async (text, values) => {
      try {
        return await client.query(text, values)
      } catch (error) {
        throw toRefusal(error)
      }
    },
    close,
  }
}

/** Source: https://www.postgresql.org/docs/18/errcodes-appendix.html */
const REASONS: Readonly<Record<string, string>> = {
  '28000': 'The database refused the login.',
  '28P01': 'The database refused the login.',
  '3D000': 'There is no database of this name.',
  '40001': 'Another transaction of the database was in the way.',
  '40P01': 'Another transaction of the database was in the way.',
  '42501': 'The user may not do that: it has to own the schema and its tables, or be allowed to create the schema.',
  '53100': 'The disk of the database is full. Make room there.',
  '53200': 'The database has no memory left.',
  '53300': 'The database takes no more connections. Close some, or raise the limit of the user or the database.',
  '53400': 'The database has reached a limit of its settings.',
  '57014': 'The database took too long.',
  '57P01': 'The database is shutting down.',
  '57P02': 'The database is shutting down.',
  '57P03': 'The database is starting.',
  '25006': 'The database is read-only.',
  '55P03': 'Somebody else holds a lock on the tables.',
  P0001: 'A trigger of the database refused the rows.',
}

/** Constraints, and columns or keys that are gone or of another type: tables that somebody has changed. */
const CHANGED = /^(?:23...|22001|22003|42703|42804|42809|428C9|42P01|42P10)$/

/** Codes of Node.js for certificates that are not accepted. */
const CERTIFICATE = /CERT|SELF_SIGNED|ALTNAME|UNABLE_TO_(VERIFY|GET)/

function toRefusal(error: unknown): PostgresRefused {
  const cause = { cause: error }
  if (error instanceof PostgresRefused) return error
  if (error instanceof EgressError) return new PostgresRefused('The database cannot be reached.', cause)
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (CERTIFICATE.test(code)) return new PostgresRefused('The certificate of the database is not valid for this host.', cause)
  if (error instanceof Error && /does not support SSL|establishing an SSL/.test(error.message))
    return new PostgresRefused('The database does not offer encryption (TLS).', cause)
  const reason = REASONS[code]
  if (reason !== undefined) return new PostgresRefused(reason, cause)
  if (CHANGED.test(code))
    return new PostgresRefused(
      `The tables were changed and do not take the rows any more (error ${code}). Undo that, or drop the changed table: it is created and filled again.`,
      cause,
    )
  if (/^[0-9A-Z]{5}$/.test(code) && error instanceof pg.DatabaseError)
    return new PostgresRefused(`The database answered with error ${code}.`, cause)
  return new PostgresRefused('The connection to the database broke off.', cause)
}
