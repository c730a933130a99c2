import pg from 'pg'

const SOCKET = /^postgres(?:ql)?:\/\/([^:@/]+)@\/([^?]+)\?host=(.+)$/
const SEVERAL = /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^/?#@]*,[^/?#@]*)(\/.*)$/
/** libpq options for an address with several servers, which `pg` does not know. Only the primary is wanted here. */
const OF_SEVERAL = ['target_session_attrs', 'load_balance_hosts']

/**
 * Addresses of one server each, in order: `postgres://user@one:5432,two:5433/name` names two. Without options that only
 * libpq understands. Source: https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-MULTIPLE-HOSTS
 */
export function urlsOf(url: string): string[] {
  const several = SEVERAL.exec(url)
  const [before = '', hosts = '', after = ''] = several?.slice(1) ?? []
  const urls = several ? hosts.split(',').map((host) => `${before}${host}${after}`) : [url]
  return urls.map(withoutLibpqOptions)
}

function withoutLibpqOptions(url: string): string {
  const [address = '', query] = url.split('?', 2)
  if (query === undefined || isSocket(url)) return url
  const kept = query.split('&').filter((option) => !OF_SEVERAL.includes(option.split('=', 1)[0] ?? ''))
  return kept.length === 0 ? address : `${address}?${kept.join('&')}`
}

/** Whether it names a Unix socket. */
export function isSocket(url: string): boolean {
  return SOCKET.test(url)
}

/** `postgres://user@/name?host=/folder` names a Unix socket, which `pg` expects as a separate option. For one server. */
export function connectionOf(url: string): pg.PoolConfig {
  const socket = SOCKET.exec(url)
  if (!socket) return { connectionString: url }
  return { user: decodeURIComponent(socket[1] ?? ''), database: socket[2], host: decodeURIComponent(socket[3] ?? ''), port: 5432 }
}

/** Host and port of an address of one server, as text without user and password; a socket by its folder. */
export function serverName(url: string): string {
  const socket = SOCKET.exec(url)
  return socket ? decodeURIComponent(socket[3] ?? '') : (URL.parse(url)?.host ?? '')
}

/** Whether every connection is encrypted, or is none: `pg` gives up where a server does not offer what the address asks for. */
export function asksForEncryption(url: string): boolean {
  return urlsOf(url).every((one) => new pg.Client(connectionOf(one)).ssl)
}
