import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { gunzipSync } from 'node:zlib'
import type { Credentials } from '../../src/connectors/contract/contract.ts'
import { until } from '../process/deadline.ts'
import { toCredentials } from './glewlwyd-connector.ts'

const SCHEMA = '/usr/share/doc/glewlwyd/database/init.sqlite3.sql.gz'
const LIBRARIES = '/usr/lib/glewlwyd'

/** Installed by Debian's package glewlwyd. */
export const hasGlewlwyd = ['/usr/bin/glewlwyd', SCHEMA, `${LIBRARIES}/plugin/libprotocol_oidc.so`].every(existsSync)

/** The administrator created by the package's own schema. */
const ADMIN = { username: 'admin', password: 'password' }
export const APP = { clientId: 'app', clientSecret: 'app-secret-canary-4711' }
const OWNER = { username: 'owner', password: 'owner-password-4711', scope: 'books' }

/** A real Glewlwyd on loopback with single-use refresh tokens; using one twice ends its whole family. */
export interface Glewlwyd {
  url: string
  /** Authorizes the app as the owner would. */
  authorize(now: Date): Promise<Credentials>
  /** Number of refresh tokens issued, and of those still valid. */
  countTokens(): { given: number; alive: number }
  /** Ends all refresh tokens, as its administrator can. */
  endTokens(): void
  stop(): Promise<void>
}

/** `configureIt`: sets up plugin, client and users; by default those of the tests of refreshes. */
export async function startGlewlwyd(configureIt: (url: string) => Promise<void> = configure): Promise<Glewlwyd> {
  const folder = await mkdtemp(join(tmpdir(), 'glewlwyd-'))
  const port = await findFreePort()
  const url = `http://127.0.0.1:${port}`
  const file = join(folder, 'glewlwyd.db')
  const database = new DatabaseSync(file)
  database.exec(gunzipSync(await readFile(SCHEMA)).toString())
  await mkdir(join(folder, 'static'))
  await writeFile(join(folder, 'glewlwyd.conf'), configuration(folder, file, port))
  const child = spawn('/usr/bin/glewlwyd', ['--config-file', join(folder, 'glewlwyd.conf')], { stdio: 'ignore' })
  const stop = async (): Promise<void> => {
    database.close()
    await end(child)
    await rm(folder, { recursive: true, force: true })
  }
  try {
    await until('Glewlwyd answers', async () => (child.exitCode === null ? await isUp(url) : Promise.reject(new Error('Glewlwyd ended'))))
    await configureIt(url)
  } catch (error) {
    await stop()
    throw error
  }
  return {
    url,
    authorize: async (now) => {
      const response = await fetch(`${url}/api/oidc/token`, {
        method: 'POST',
        headers: { authorization: `Basic ${Buffer.from(`${APP.clientId}:${APP.clientSecret}`).toString('base64')}` },
        body: new URLSearchParams({ grant_type: 'password', ...OWNER }),
      })
      return toCredentials(await response.json(), now)
    },
    countTokens: () => {
      const row = database.prepare('select count(*) as given, coalesce(sum(gpor_enabled), 0) as alive from gpo_refresh_token').get()
      return { given: Number(row?.given), alive: Number(row?.alive) }
    },
    endTokens: () => database.exec('update gpo_refresh_token set gpor_enabled = 0'),
    stop,
  }
}

function configuration(folder: string, file: string, port: number): string {
  return `port=${port}
bind_address="127.0.0.1"
external_url="http://127.0.0.1:${port}"
login_url="login.html"
api_prefix="api"
static_files_path="${join(folder, 'static')}"
log_mode="console"
log_level="NONE"
cookie_domain="127.0.0.1"
cookie_secure=0
session_expiration=2419200
session_key="GLEWLWYD2_SESSION_ID"
admin_session_authentication="cookie"
profile_session_authentication="cookie"
login_api_enabled=true
max_post_size=16778240
admin_scope="g_admin"
profile_scope="g_profile"
user_module_path="${LIBRARIES}/user"
user_middleware_module_path="${LIBRARIES}/user_middleware"
client_module_path="${LIBRARIES}/client"
user_auth_scheme_module_path="${LIBRARIES}/scheme"
plugin_module_path="${LIBRARIES}/plugin"
use_secure_connection=false
secure_connection_key_file="/etc/ssl/certs/cert.key"
secure_connection_pem_file="/etc/ssl/certs/cert.pem"
secure_connection_ca_file="/etc/ssl/certs/ca.crt"
hash_algorithm="SHA512"
database = { type = "sqlite3"; path = "${file}"; };
`
}

/** Signs in as its administrator; returns what adds a plugin, a client, a user and the like. */
export async function openAdministration(url: string): Promise<(path: string, thing: object) => Promise<void>> {
  const cookie = await signInAt(url, ADMIN)
  return async (path, thing) => {
    const response = await fetch(`${url}/api/${path}/`, { method: 'POST', body: JSON.stringify(thing), headers: { ...JSON_TYPE, cookie } })
    if (!response.ok) throw new Error(`Glewlwyd answered ${response.status} to a new ${path}: ${await response.text()}`)
  }
}

/** Signs somebody in; returns the cookie of the session, as a header. */
export async function signInAt(url: string, person: { username: string; password: string }): Promise<string> {
  const { username, password } = person
  const entered = await fetch(`${url}/api/auth/`, { method: 'POST', body: JSON.stringify({ username, password }), headers: JSON_TYPE })
  return entered.headers.getSetCookie()[0]?.split(';')[0] ?? ''
}

/** Configures the plugin with single-use refresh tokens, the app, and the owner of the books. */
async function configure(url: string): Promise<void> {
  const add = await openAdministration(url)
  const isOn = { 'auth-type-code-enabled': true, 'auth-type-password-enabled': true, 'auth-type-refresh-enabled': true }
  const isOff = { 'auth-type-token-enabled': false, 'auth-type-id-token-enabled': true, 'auth-type-client-enabled': false }
  await add('mod/plugin', {
    module: 'oidc',
    name: 'oidc',
    display_name: 'oidc',
    parameters: {
      iss: url,
      'jwt-type': 'sha',
      'jwt-key-size': '256',
      key: 'a key for tests of 32 characters',
      'access-token-duration': 3600,
      'refresh-token-duration': 1209600,
      'code-duration': 600,
      'refresh-token-rolling': false,
      'refresh-token-one-use': 'always',
      'allow-non-oidc': true,
      ...isOn,
      ...isOff,
    },
  })
  await add('scope', { name: OWNER.scope, display_name: OWNER.scope, password_required: true, password_max_age: 0 })
  await add('client', {
    client_id: APP.clientId,
    name: APP.clientId,
    password: APP.clientSecret,
    confidential: true,
    enabled: true,
    redirect_uri: ['http://127.0.0.1/callback'],
    authorization_type: ['code', 'password', 'refresh_token'],
    token_endpoint_auth_method: ['client_secret_basic'],
  })
  await add('user', { username: OWNER.username, password: OWNER.password, name: OWNER.username, enabled: true, scope: [OWNER.scope] })
}

const JSON_TYPE = { 'content-type': 'application/json' }

async function isUp(url: string): Promise<true | null> {
  return await fetch(`${url}/config/`).then(
    () => true,
    () => null,
  )
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address && typeof address === 'object') return address.port
  throw new Error('no free port')
}
