import { existsSync } from 'node:fs'
import { chown, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { applyDatabasePassword } from '../../src/process/settings/database-settings.ts'
import { logInWith } from '../../src/store/db/connection/login.ts'
import { openDatabase } from '../../src/store/db/database.ts'
import { runCommand } from '../cli/run-command.ts'
import { type OutsidePostgres, startOutsidePostgres } from '../drill/outside-postgres.ts'
import { POSTGRES_PROGRAMS } from '../harness/debian-postgres.ts'
import { folderForTests, openForTests } from '../harness/for-tests.ts'
import { hasOpenssl, makeIdentity } from '../harness/identities.ts'
import { until } from '../process/deadline.ts'
import { startService } from '../process/service.ts'

const isMissing = !(existsSync(join(POSTGRES_PROGRAMS, 'initdb')) && process.getuid?.() === 0 && hasOpenssl) && process.env.CI !== 'true'
const note = isMissing ? ' (SKIPPED: needs root, openssl and Debian’s postgresql)' : ''

/** One user by certificate, one by password; each over TLS only. */
const ACCESS = `hostssl all by_certificate 127.0.0.1/32 cert
hostssl all by_password 127.0.0.1/32 scram-sha-256
hostssl all postgres 127.0.0.1/32 scram-sha-256
`

describe.skipIf(isMissing)(`PostgreSQL without a password that never changes${note}`, () => {
  const folder = folderForTests()
  const postgres: OutsidePostgres = openForTests(() => startOutsidePostgres(join(folder.path, 'postgres')))
  const at = (name: string) => join(folder.path, name)
  const admin = openForTests(
    async () => {
      const { port, password } = postgres
      const client = new pg.Client({ host: '127.0.0.1', port, user: 'postgres', password, database: 'postgres' })
      await client.connect()
      return client
    },
    (client) => client.end(),
  )
  const urlOf = (user: string, more = '') =>
    `postgres://${user}@127.0.0.1:${postgres.port}/${user}?sslmode=verify-full&sslrootcert=${at('server.crt')}${more}`

  /** A file of PostgreSQL’s own user, who wants its key for itself. */
  async function give(name: string, text: string): Promise<string> {
    const path = join(postgres.dataDir, name)
    await writeFile(path, text, { mode: 0o600 })
    const { uid, gid } = await stat(postgres.dataDir)
    await chown(path, uid, gid)
    return path
  }

  async function giveClientCertificate({ certificate, privateKey }: ReturnType<typeof makeIdentity>): Promise<void> {
    await writeFile(at('client.crt'), certificate)
    await writeFile(at('client.key'), privateKey, { mode: 0o600 })
    await give('clients.crt', certificate)
    await admin.query('select pg_reload_conf()')
  }

  beforeAll(async () => {
    const own = makeIdentity('database')
    await writeFile(at('server.crt'), own.certificate)
    await give('server.crt', own.certificate)
    await give('server.key', own.privateKey)
    await give('clients.crt', own.certificate)
    for (const [name, value] of Object.entries({ ssl: 'on', ssl_ca_file: 'clients.crt' }))
      await admin.query(`alter system set ${name} = '${value}'`)
    for (const user of ['by_certificate', 'by_password']) {
      await admin.query(`create role ${user} login`)
      await admin.query(`create database ${user} owner ${user}`)
    }
    await give('pg_hba.conf', ACCESS)
    await admin.query('select pg_reload_conf()')
  })
  afterEach(() => logInWith(null))

  /** Reaches the server by every way of the product: doctor, migrations, backup. */
  async function expectCommands(env: Record<string, string>): Promise<void> {
    const migrated = await runCommand(['migrate'], env)
    expect([migrated.code, migrated.stderr]).toEqual([0, ''])
    const { stdout } = await runCommand(['doctor', '--json'], env)
    const { findings } = JSON.parse(stdout) as { findings: { id: string }[] }
    expect(findings.filter(({ id }) => id.startsWith('database-'))).toEqual([])
    const backup = await runCommand(['backup', '--to', join(env.DATA_DIR ?? '', 'file.backup')], {
      ...env,
      BACKUP_PASSPHRASE: 'a-passphrase-of-this-test',
    })
    expect([backup.code, backup.stderr]).toEqual([0, expect.not.stringContaining('password')])
  }

  it('is used with a client certificate by service and commands', async () => {
    await giveClientCertificate(makeIdentity('by_certificate'))
    const url = urlOf('by_certificate', `&sslcert=${at('client.crt')}&sslkey=${at('client.key')}`)
    const env = { DATABASE_URL: url, ENVIRONMENT: 'production', DATA_DIR: at('certificate') }
    const service = await startService({ dataDir: env.DATA_DIR, environment: env })
    try {
      expect((await fetch(`${service.baseUrl}/readyz`)).status).toBe(200)
      const { rows } = await admin.query(
        `select distinct s.client_dn from pg_stat_ssl s join pg_stat_activity a using (pid) where a.usename = 'by_certificate'`,
      )
      expect(rows).toEqual([{ client_dn: '/CN=by_certificate' }])
      await expectCommands(env)
    } finally {
      await service.stop()
    }
  })

  it('takes a renewed client certificate for new connections, and nobody without one', async () => {
    await giveClientCertificate(makeIdentity('by_certificate'))
    const lost = { count: 0 }
    const database = openDatabase(urlOf('by_certificate', `&sslcert=${at('client.crt')}&sslkey=${at('client.key')}`), {
      max: 1,
      onLost: () => {
        lost.count += 1
      },
    })
    try {
      await database.query('select 1')
      await giveClientCertificate(makeIdentity('by_certificate'))
      await admin.query(`select pg_terminate_backend(pid) from pg_stat_activity where usename = 'by_certificate'`)
      await until('the connection broke', async () => (lost.count > 0 ? true : null))
      expect((await database.query('select 1 as one')).rows).toEqual([{ one: 1 }])
      const without = openDatabase(urlOf('by_certificate'), { max: 1 })
      await expect(without.query('select 1')).rejects.toThrow(/valid client certificate/)
      await without.end()
    } finally {
      await database.end()
    }
  })

  it('is used with passwords of a command, which change while the service runs', async () => {
    const setPassword = async (password: string) => {
      await admin.query(`alter role by_password password '${password}'`)
      await writeFile(at('token'), `${password}\n`)
    }
    await setPassword('token-number-1')
    const environment = {
      ...{ DATABASE_URL: urlOf('by_password'), ENVIRONMENT: 'production', DATA_DIR: at('password') },
      DATABASE_PASSWORD_COMMAND: `date +%N >> ${at('runs')}; cat ${at('token')}`,
    }
    const service = await startService({ dataDir: environment.DATA_DIR, environment })
    try {
      const isReady = async () => (await fetch(`${service.baseUrl}/readyz`)).status === 200
      expect(await isReady()).toBe(true)
      const runs = async () => (await readFile(at('runs'), 'utf8')).trim().split('\n').length
      const before = await runs()
      await setPassword('token-number-2')
      await admin.query(`select pg_terminate_backend(pid) from pg_stat_activity where usename = 'by_password'`)
      await until('it logs in with the new password', async () => ((await isReady()) && (await runs()) > before ? true : null))
      await expectCommands(environment)
      expect(service.output()).not.toMatch(/token-number/)
    } finally {
      expect(await service.stop()).toEqual({ code: 0, signal: null })
    }
  })

  it.each([
    ['command', { kind: 'command' as const, command: 'echo canary; exit 3' }, 'DATABASE_PASSWORD_COMMAND: the command failed: exit code 3'],
    ['file', { kind: 'file' as const, path: '/no/such/file' }, 'DATABASE_PASSWORD_FILE: /no/such/file cannot be read (ENOENT)'],
  ])('is not reached with a %s that fails, and the error says why, without what was printed', async (_what, databasePassword, fault) => {
    applyDatabasePassword({ databasePassword })
    const database = openDatabase(urlOf('by_password'), { max: 1 })
    await expect(database.query('select 1')).rejects.toThrow(fault)
    await expect(database.query('select 1')).rejects.not.toThrow(/canary/)
    await database.end()
  })
})
