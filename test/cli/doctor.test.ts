import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer as createPlainServer, request } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CHECKS, type CheckId } from '../../src/cli/doctor/checks.ts'
import { examine } from '../../src/cli/doctor/examine.ts'
import { startCatcher } from '../../src/mail/catcher.ts'
import { type Database, openDatabase } from '../../src/store/db/database.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/store/embedded/postgres.ts'
import { openKeys } from '../../src/store/keys/keys.ts'
import { addCompany } from '../harness/app/tenants.ts'
import { findFreePort, openTestFolder, type Service, startService } from '../process/service.ts'
import { CITUS_FAULTS, MACHINE_FAULTS, REPLICA_FAULTS } from './machine-faults.ts'
import { runCommand } from './run-command.ts'

const SOURCES = '{"quickbooks": {"app": {"clientId": "client", "clientSecret": "secret"}}}'

let folder: Awaited<ReturnType<typeof openTestFolder>>
let postgres: EmbeddedPostgres
let database: Database
let catcher: Awaited<ReturnType<typeof startCatcher>>
let service: Service
let proxy: Server
let env: Record<string, string>
const found = new Set<CheckId>()

/** A proxy with its own certificate, as an operator would place in front. */
async function openProxy(port: number): Promise<Server> {
  const [key, cert] = await Promise.all(['key.pem', 'cert.pem'].map((name) => readFile(join(folder.path, name))))
  const server = createServer({ key, cert }, (incoming, outgoing) => {
    const headers = { ...incoming.headers, 'x-forwarded-for': '203.0.113.9', 'x-forwarded-proto': 'https' }
    const passed = request({ port, host: '127.0.0.1', path: incoming.url, method: incoming.method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    passed.on('error', () => outgoing.writeHead(502).end())
    incoming.pipe(passed)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return server
}

const portOf = (server: { address(): AddressInfo | string | null }) => (server.address() as AddressInfo).port

beforeAll(async () => {
  folder = await openTestFolder()
  const pem = ['-keyout', join(folder.path, 'key.pem'), '-out', join(folder.path, 'cert.pem')]
  execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-days',
      '2',
      '-subj',
      '/CN=localhost',
      '-addext',
      'subjectAltName=DNS:localhost',
      ...pem,
    ],
    { stdio: 'ignore' },
  )
  postgres = await startEmbeddedPostgres({ dataDir: join(folder.path, 'outside') })
  catcher = await startCatcher({ port: await findFreePort(), isExact: false })
  const dataDir = join(folder.path, 'data')
  await mkdir(dataDir, { mode: 0o700 })
  await writeFile(join(dataDir, 'sources.json'), SOURCES, { mode: 0o600 })
  const port = await findFreePort()
  proxy = await openProxy(port)
  env = {
    ENVIRONMENT: 'production',
    DATA_DIR: dataDir,
    DATABASE_URL: postgres.url,
    BASE_URL: `https://localhost:${portOf(proxy)}`,
    TRUSTED_PROXIES: 'loopback',
    METRICS_TOKEN: 'a-token-for-prometheus',
    SMTP_URL: catcher.url,
    MAIL_FROM: 'no-reply@lender.example',
    SEED_EMAIL: 'avery@lender.example',
  }
  service = await startService({ dataDir, port, environment: env })
  database = openDatabase(postgres.url)
  await database.query(`update instances set name = 'Maple Lending'`)
})
afterAll(async () => {
  await database?.end()
  await service?.kill()
  proxy?.close()
  await catcher?.close()
  await postgres?.stop()
  await folder?.remove()
})

async function expectFinding(id: CheckId, changed: Record<string, string> = {}): Promise<void> {
  const { findings } = await examine({ env: { ...env, ...changed } })
  const ours = findings.filter((finding) => finding.id === id)
  expect(ours.length, `${id} is not among ${findings.map((finding) => finding.id).join(', ')}`).toBeGreaterThan(0)
  expect(ours[0]).toEqual({ id, severity: CHECKS[id].severity, fact: expect.stringMatching(/[.?]$/), cure: CHECKS[id].cure })
  found.add(id)
}

describe('countinghouse doctor', () => {
  it('reports nothing for a healthy deployment, alongside its service', async () => {
    const { code, stdout } = await runCommand(['doctor', '--strict', '--json'], {
      ...env,
      NODE_EXTRA_CA_CERTS: join(folder.path, 'cert.pem'),
    })
    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      { checks: Object.keys(CHECKS).length, errors: 0, warnings: 0, findings: [], skipped: [], oldKeys: [] },
    ])
  })

  it('exits with 1 for an error, 0 for a warning, and 1 for a warning with --strict', async () => {
    const good = { ...env, NODE_EXTRA_CA_CERTS: join(folder.path, 'cert.pem') }
    const warned = { ...good, METRICS_TOKEN: '' }
    const run = async (args: string[], given: Record<string, string>) => (await runCommand(['doctor', ...args], given)).code
    expect([await run([], { ...good, SMTP_URL: 'smtp://127.0.0.1:1' }), await run([], warned), await run(['--strict'], warned)]).toEqual([
      1, 0, 1,
    ])
  })

  it.each<[CheckId, Record<string, string>]>([
    ['settings-invalid', { PORT: 'eighty' }],
    ['setting-misspelt', { METRICS_TOKENS: 'x' }],
    ['environment-sandbox', { ENVIRONMENT: 'sandbox', BASE_URL: 'https://data.invalid' }],
    ['base-url-not-https', { BASE_URL: 'http://127.0.0.1:1' }],
    ['base-url-unreachable', { BASE_URL: 'https://localhost:1' }],
    ['private-addresses-allowed', { ALLOW_PRIVATE_ADDRESSES: 'true' }],
    ['metrics-closed', { METRICS_TOKEN: '' }],
    ['mail-missing', { SMTP_URL: '', MAIL_FROM: '' }],
    ['mail-unreachable', { SMTP_URL: 'smtp://127.0.0.1:1' }],
    ['database-unreachable', { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' }],
    ['raw-pages-unreachable', { RAW_PAGE_BUCKET: 'http://127.0.0.1:1/pages', RAW_PAGE_BUCKET_KEY: 'AK:sk' }],
  ])('reports %s', expectFinding)

  it('reports a certificate at BASE_URL that no public authority has issued', async () => {
    await expectFinding('base-url-unreachable')
  })

  it('reports another server at BASE_URL, and an untrusted proxy', async () => {
    const foreign = createPlainServer((_request, response) => response.end('{"status":"ok"}'))
    await new Promise<void>((done) => foreign.listen(0, '127.0.0.1', done))
    await expectFinding('base-url-foreign', { BASE_URL: `http://127.0.0.1:${portOf(foreign)}` })
    foreign.close()
    const port = await findFreePort()
    const untrusting = await startService({ dataDir: env.DATA_DIR ?? '', port, environment: { ...env, TRUSTED_PROXIES: '', ROLE: 'api' } })
    const front = createPlainServer((incoming, outgoing) => {
      const headers = { ...incoming.headers, 'x-forwarded-for': '203.0.113.9' }
      request({ port, host: '127.0.0.1', path: incoming.url, headers }, (answer) => answer.pipe(outgoing)).end()
    })
    await new Promise<void>((done) => front.listen(0, '127.0.0.1', done))
    await expectFinding('proxy-untrusted', { BASE_URL: `http://127.0.0.1:${portOf(front)}` })
    front.close()
    await untrusting.stop()
  })

  it('reports faults of folders, files and keys', async () => {
    const dataDir = join(folder.path, 'faulty')
    await openKeys(dataDir)
    const at = { DATA_DIR: dataDir }
    await expectFinding('keys-foreign', at)
    await writeFile(join(dataDir, 'sources.json'), '{}', { mode: 0o600 })
    await expectFinding('source-keys-unset', at)
    await writeFile(join(dataDir, 'sources.json'), '{"quikbooks": {}}')
    await expectFinding('sources-file-invalid', at)
    await chmod(join(dataDir, 'sources.json'), 0o644)
    await expectFinding('sources-file-open', at)
    await writeFile(join(dataDir, 'login.json'), '{}')
    await expectFinding('login-file', at)
    await chmod(dataDir, 0o755)
    await expectFinding('data-dir-open', at)
    await chmod(join(dataDir, 'keys', 'signing-1.json'), 0o644)
    await expectFinding('keys-unusable', at)
    await rm(join(dataDir, 'sources.json'))
    await mkdir(join(dataDir, 'profiles', 'fdx'), { recursive: true })
    await writeFile(join(dataDir, 'profiles', 'fdx', 'bank.json'), '{')
    await expectFinding('bank-profiles-invalid', { ...at, BANK_PROFILES_DIR: join(dataDir, 'profiles') })
  })

  it('reports faults of PostgreSQL', async () => {
    await expectFinding('database-superuser', { DATABASE_URL: postgres.url.replace('countinghouse@', 'postgres@') })
    const settings = { fsync: 'off', autovacuum: 'off', max_connections: '15', superuser_reserved_connections: '3' }
    const careless = await startEmbeddedPostgres({ dataDir: join(folder.path, 'careless'), settings })
    try {
      for (const id of ['database-unsafe', 'database-autovacuum', 'database-connections', 'schema-pending'] as const)
        await expectFinding(id, { DATABASE_URL: careless.url })
    } finally {
      await careless.stop()
    }
    await expectFinding('database-embedded', { DATABASE_URL: '', DATA_DIR: join(folder.path, 'careless') })
    const admin = openDatabase(postgres.adminUrl, { max: 1 })
    await admin.query(
      `create database ascii encoding 'SQL_ASCII' lc_collate 'C' lc_ctype 'C' template template0 locale_provider libc owner countinghouse`,
    )
    await expectFinding('database-encoding', { DATABASE_URL: postgres.url.replace('/countinghouse?', '/ascii?') })
    await admin.query('alter database ascii set default_transaction_read_only = on')
    await expectFinding('database-read-only', { DATABASE_URL: postgres.url.replace('/countinghouse?', '/ascii?') })
    await admin.end()
  })

  const instance = '(select id from instances limit 1)'
  it.each<[CheckId, string, string]>([
    [
      'sealed-unreadable',
      `insert into mails (instance_id, id, kind, recipient_hash, recipient_shown, sealed, state) values (${instance}, gen_random_uuid(), 'x', '\\x00', 'a', '\\x010011223344556677'::bytea || decode(repeat('00', 90), 'hex'), 'waiting')`,
      'delete from mails',
    ],
    [
      'mail-failing',
      `insert into mails (instance_id, id, kind, recipient_hash, recipient_shown, state, settled_at) values (${instance}, gen_random_uuid(), 'x', '\\x00', 'a', 'failed', now())`,
      'delete from mails',
    ],
    [
      'source-keys-refused',
      `insert into source_alarms (connector_key, client_hash, message, retry_at) values ('xero', '\\x00', 'no', now())`,
      'delete from source_alarms',
    ],
    [
      'jobs-dead',
      `insert into jobs (instance_id, kind, key, payload, state, died_at) values (${instance}, 'x', 'x', '{}', 'dead', now())`,
      `delete from jobs where kind = 'x'`,
    ],
    [
      'queue-lag',
      `insert into jobs (instance_id, kind, key, payload, run_at) values (${instance}, 'nobody', 'x', '{}', now() - interval '10 minutes')`,
      `delete from jobs where kind = 'nobody'`,
    ],
    [
      'subscriptions-disabled',
      `insert into subscriptions (instance_id, id, event, callback_url, status, disabled_reason, disabled_at) values (${instance}, '${randomUUID()}', 'RawData', 'https://x.example', 'disabled', 'gone', now())`,
      'delete from subscriptions',
    ],
    [
      'audit-altered',
      `insert into audit_chains (instance_id, position, hash, start_hash) values (${instance}, 1, decode(repeat('00', 32), 'hex'), decode(repeat('00', 32), 'hex'))
       on conflict (instance_id) do update set position = audit_chains.position + 1`,
      'update audit_chains set position = position - 1 where instance_id = (select id from instances limit 1)',
    ],
    [
      'raw-page-objects-left',
      `insert into unclaimed_objects values ('a/b/c', true, now() - interval '2 hours')`,
      'delete from unclaimed_objects',
    ],
    ['seed-email-default', `update users set email = 'developer@example.com'`, `update users set email = 'avery@lender.example'`],
    ['instance-name-default', `update instances set name = 'My Instance'`, `update instances set name = 'Maple Lending'`],
    ['deployment-paused', `insert into deployment_pause (reason) values ('requested')`, 'delete from deployment_pause'],
    [
      'schema-unusable',
      `insert into schema_migrations (name, checksum, oldest_release) values ('999-x.sql', 'x', '999.0.0')`,
      `delete from schema_migrations where name = '999-x.sql'`,
    ],
  ])('reports %s', async (id, plant, takeBack) => {
    await database.query(plant)
    try {
      await expectFinding(id)
    } finally {
      await database.query(takeBack)
    }
  })

  it('reports raw pages whose objects are missing', async () => {
    const empty = createPlainServer((_request, response) => response.writeHead(404).end('<Error><Code>NoSuchKey</Code></Error>'))
    await new Promise<void>((done) => empty.listen(0, '127.0.0.1', done))
    const { rows } = await database.query<{ id: string }>('select id from instances limit 1')
    const [instanceId, connectionId] = [rows[0]?.id ?? '', randomUUID()]
    await database.query(
      `insert into connections (instance_id, id, company_id, service_id, connector_key, category, email, status, update_scheduled_at, refresh_hours)
       values ($1, $2, $3, gen_random_uuid(), 'books', 'Accounting', 'a@b.example', 9, now(), 24)`,
      [instanceId, connectionId, await addCompany(database, instanceId)],
    )
    await database.query(
      `insert into raw_pages (instance_id, id, connection_id, pull, page, fetched_at, content_hash, sealed, object_id, object_bytes)
       select $1, gen_random_uuid(), $2, 'accounts', 1, now(), '', sealed, gen_random_uuid(), 9 from (select decode(repeat('00', 97), 'hex') as sealed) x`,
      [instanceId, connectionId],
    )
    await expectFinding('raw-pages-missing', {
      RAW_PAGE_BUCKET: `http://127.0.0.1:${portOf(empty)}/pages`,
      RAW_PAGE_BUCKET_KEY: 'AK:sk',
    })
    await database.query('delete from raw_pages')
    await database.query('delete from unclaimed_objects')
    await database.query('delete from connections where id = $1', [connectionId])
    empty.close()
  })

  it('reports an unfinished restore before anything else', async () => {
    const mark = join(folder.path, 'data', 'restore-unfinished')
    await writeFile(mark, randomUUID())
    try {
      await expectFinding('database-unreachable')
    } finally {
      await rm(mark)
    }
  })

  it('reports that no worker is running', async () => {
    await service.stop()
    await database.query(
      `insert into jobs (instance_id, kind, key, payload, run_at) values (${instance}, 'nobody', 'x', '{}', now() - interval '10 minutes')`,
    )
    await database.query('delete from workers')
    await expectFinding('worker-missing')
  })

  it('has reported every fault that does not depend on the machine', () => {
    const elsewhere: readonly CheckId[] = [...MACHINE_FAULTS, ...REPLICA_FAULTS, ...CITUS_FAULTS]
    const ids = Object.keys(CHECKS).filter((id) => !elsewhere.some((other) => other === id))
    expect(ids.filter((id) => ![...found].some((one) => one === id))).toEqual([])
    expect(found.size).toBeGreaterThanOrEqual(20)
  })
})
