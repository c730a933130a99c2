import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { CheckId } from '../../src/cli/doctor/checks.ts'
import { startCatcher } from '../../src/mail/catcher.ts'
import { type Database, openDatabase } from '../../src/store/db/database.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/store/embedded/postgres.ts'
import { findFreePort, openTestFolder, type Service, startService } from '../process/service.ts'

const SOURCES = '{"quickbooks": {"app": {"clientId": "client", "clientSecret": "secret"}}}'

export const INSTANCE = '(select id from instances limit 1)'

const NEXT_WEEK = `date_trunc('week', now() at time zone 'UTC' + interval '7 days')::date`

/** Faults in the database: the check that finds each, what plants it, and what takes it back. */
export const PLANTED: readonly (readonly [CheckId, string, string])[] = [
  [
    'sealed-unreadable',
    `insert into mails (instance_id, id, kind, recipient_hash, recipient_shown, sealed, state) values (${INSTANCE}, gen_random_uuid(), 'x', '\\x00', 'a', '\\x010011223344556677'::bytea || decode(repeat('00', 90), 'hex'), 'waiting')`,
    'delete from mails',
  ],
  [
    'mail-failing',
    `insert into mails (instance_id, id, kind, recipient_hash, recipient_shown, state, settled_at) values (${INSTANCE}, gen_random_uuid(), 'x', '\\x00', 'a', 'failed', now())`,
    'delete from mails',
  ],
  [
    'source-keys-refused',
    `insert into source_alarms (connector_key, client_hash, message, retry_at) values ('xero', '\\x00', 'no', now())`,
    'delete from source_alarms',
  ],
  [
    'jobs-dead',
    `insert into jobs (instance_id, kind, key, payload, state, died_at) values (${INSTANCE}, 'x', 'x', '{}', 'dead', now())`,
    `delete from jobs where kind = 'x'`,
  ],
  [
    'queue-lag',
    `insert into jobs (instance_id, kind, key, payload, run_at) values (${INSTANCE}, 'nobody', 'x', '{}', now() - interval '10 minutes')`,
    `delete from jobs where kind = 'nobody'`,
  ],
  [
    'event-partitions-missing',
    `do $$ begin execute 'drop table deliveries_' || to_char(${NEXT_WEEK}, 'YYYYMMDD'); end $$`,
    `select add_event_week(${NEXT_WEEK})`,
  ],
  [
    'page-partitions-missing',
    `do $$ begin execute (select 'drop table ' || to_char(max(begins), '"raw_pages_"YYYYMMDD') from page_spans); end $$`,
    'select add_page_span(begins, ends) from page_spans',
  ],
  [
    'subscriptions-disabled',
    `insert into subscriptions (instance_id, id, event, callback_url, status, disabled_reason, disabled_at) values (${INSTANCE}, '${randomUUID()}', 'RawData', 'https://x.example', 'disabled', 'gone', now())`,
    'delete from subscriptions',
  ],
  [
    'audit-altered',
    `insert into audit_chains (instance_id, position, hash, start_hash) values (${INSTANCE}, 1, decode(repeat('00', 32), 'hex'), decode(repeat('00', 32), 'hex'))
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
]

/** A healthy deployment in production, behind a proxy. */
export interface DoctorDeployment {
  folder: string
  /** Settings of its service. */
  env: Record<string, string>
  postgres: EmbeddedPostgres
  database: Database
  service: Service
  close(): Promise<void>
}

export async function openDoctorDeployment(): Promise<DoctorDeployment> {
  const folder = await openTestFolder()
  makeCertificate(folder.path)
  const postgres = await startEmbeddedPostgres({ dataDir: join(folder.path, 'outside') })
  const catcher = await startCatcher({ port: await findFreePort(), isExact: false })
  const dataDir = join(folder.path, 'data')
  await mkdir(dataDir, { mode: 0o700 })
  await writeFile(join(dataDir, 'sources.json'), SOURCES, { mode: 0o600 })
  const port = await findFreePort()
  const proxy = await openProxy(folder.path, port)
  const env = {
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
  const service = await startService({ dataDir, port, environment: env })
  const database = openDatabase(postgres.url)
  await database.query(`update instances set name = 'Maple Lending'`)
  const close = async () => {
    await database.end()
    await service.kill()
    proxy.close()
    await catcher.close()
    await postgres.stop()
    await folder.remove()
  }
  return { folder: folder.path, env, postgres, database, service, close }
}

export const portOf = (server: { address(): AddressInfo | string | null }) => (server.address() as AddressInfo).port

function makeCertificate(folder: string): void {
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  const files = ['-keyout', join(folder, 'key.pem'), '-out', join(folder, 'cert.pem')]
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...subject, ...files], { stdio: 'ignore' })
}

/** A proxy with its own certificate, as an operator would place in front. */
async function openProxy(folder: string, port: number): Promise<Server> {
  const [key, cert] = await Promise.all(['key.pem', 'cert.pem'].map((name) => readFile(join(folder, name))))
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
