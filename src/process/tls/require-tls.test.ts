import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ConfigError, readConfig } from '../settings/config.ts'
import { readSourceSettings } from '../settings/source-settings.ts'

const OWN = { TLS_CERT_FILE: '/srv/own.pem', TLS_KEY_FILE: '/srv/own.key' }
const SOUND = {
  ...{ REQUIRE_TLS: 'true', ENVIRONMENT: 'production', BASE_URL: 'https://data.example.com', METRICS_LISTEN: '0.0.0.0:9464', ...OWN },
  DATABASE_URL: 'postgres://app@one,two:5433/books?sslmode=verify-full',
  DATABASE_DIRECT_URL: 'postgres://app@/books?host=/run/postgresql',
  DATABASE_READ_URL: 'postgres://app@127.0.0.1/books?sslmode=verify-full',
  ...{ SMTP_URL: 'smtp://mail.example.com', MAIL_FROM: 'a@example.com', AUDIT_SINK: 'syslog+tls://logs.example.com' },
  ...{ OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector:4318', RAW_PAGE_BUCKET: 'https://s3.example.com/pages', RAW_PAGE_BUCKET_KEY: 'a:b' },
}

function faultsOf(changed: Record<string, string>): readonly string[] {
  try {
    readConfig({ ...SOUND, ...changed }, [])
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.faults
    throw error
  }
}

describe('REQUIRE_TLS', () => {
  it.each([
    {},
    { ROLE: 'worker', METRICS_LISTEN: '', TLS_CERT_FILE: '', TLS_KEY_FILE: '' },
    { DATABASE_URL: '', DATABASE_DIRECT_URL: '', DATABASE_READ_URL: '' },
    { SMTP_URL: 'smtps://127.0.0.1', AUDIT_SINK: 'file:///var/log/audit', OTEL_EXPORTER_OTLP_ENDPOINT: '' },
    { CLAMD_ADDRESS: '/run/clamav/clamd.ctl' },
  ])('accepts connections that are all encrypted, or need no encryption (%j)', (changed) => {
    expect(faultsOf(changed)).toEqual([])
  })

  it.each<[Record<string, string>, RegExp]>([
    [
      { TLS_CERT_FILE: '', TLS_KEY_FILE: '' },
      /^TLS_CERT_FILE: is not set, so HOST and PORT and METRICS_LISTEN are served over plain HTTP;/,
    ],
    [{ ROLE: 'worker', TLS_CERT_FILE: '', TLS_KEY_FILE: '' }, /^TLS_CERT_FILE: is not set, so METRICS_LISTEN are/],
    [{ BASE_URL: 'http://localhost:8480' }, /^BASE_URL: is not an https address;/],
    [{ DATABASE_URL: 'postgres://app:canary@db/books' }, /^DATABASE_URL: does not verify the certificate of the server/],
    [{ DATABASE_URL: 'postgres://app:canary@127.0.0.1/books?sslmode=disable' }, /^DATABASE_URL: does not verify/],
    [{ DATABASE_DIRECT_URL: 'postgres://app:canary@db/books?sslmode=no-verify' }, /^DATABASE_DIRECT_URL: does not verify/],
    [{ DATABASE_READ_URL: 'postgres://app:canary@db/books?uselibpqcompat=true&sslmode=require' }, /^DATABASE_READ_URL: does not verify/],
    [{ DATABASE_URL: 'postgres://app:canary@db/books?sslmode=verify-full&sslrootcert=/no/such' }, /^DATABASE_URL: cannot be used: ENOENT/],
    [{ SMTP_URL: 'smtp://mail.example.com?tls=off' }, /^SMTP_URL: turns encryption off/],
    [{ SMTP_URL: 'smtp://a:canary@127.0.0.1' }, /^SMTP_URL: does not ask this machine for encryption/],
    [{ AUDIT_SINK: 'syslog+tcp://logs.example.com' }, /^AUDIT_SINK: is not syslog\+tls/],
    [{ AUDIT_SINK: 'syslog+udp://logs.example.com' }, /^AUDIT_SINK: is not syslog\+tls/],
    [{ RAW_PAGE_BUCKET: 'http://s3.example.com/pages' }, /^RAW_PAGE_BUCKET: is not an https/],
    [{ CLAMD_ADDRESS: '127.0.0.1:3310' }, /^CLAMD_ADDRESS: is not a Unix socket/],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' }, /^OTEL_EXPORTER_OTLP_ENDPOINT: is not an https/],
    [{ OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://127.0.0.1:4318' }, /^OTEL_EXPORTER_OTLP_ENDPOINT: is not an https/],
    [{ ENVIRONMENT: 'sandbox' }, /^REQUIRE_TLS: needs ENVIRONMENT=production/],
    [{ REQUIRE_TLS: 'yes' }, /^REQUIRE_TLS: "yes" is not one of true, false/],
  ])('refuses %j', (changed, fault) => {
    const faults = faultsOf(changed)
    expect(faults).toEqual([expect.stringMatching(fault)])
    expect(faults.join()).not.toContain('canary')
    if (changed.REQUIRE_TLS === undefined && changed.BASE_URL === undefined)
      expect(faultsOf({ ...changed, REQUIRE_TLS: 'false', ENVIRONMENT: 'sandbox' }), 'without it').toEqual([])
  })

  it('refuses a host of the operator in sources.json without https', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'require-tls-'))
    const sources = [{ key: 'books', appKeys: [] }]
    const read = async (host: string, requireTls: boolean) => {
      writeFileSync(join(folder, 'sources.json'), JSON.stringify({ books: { hosts: { api: host } } }))
      return await readSourceSettings(folder, sources, { requireTls })
    }
    await expect(read('http://books.internal', true)).rejects.toThrow('the host "api" of books is not an https address; REQUIRE_TLS')
    expect(await read('https://books.internal', true)).toEqual(await read('https://books.internal', false))
    expect(await read('http://books.internal', false)).toEqual({ books: { hosts: { api: 'http://books.internal' } } })
    rmSync(folder, { recursive: true })
  })
})
