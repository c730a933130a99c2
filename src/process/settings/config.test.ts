import { resolve } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Secret } from '../../model/values/secret.ts'
import { DEFAULT_QUOTAS } from '../../store/operators/quotas.ts'
import { ConfigError, readConfig } from './config.ts'

function faultsOf(env: Record<string, string>, args: string[] = []): readonly string[] {
  try {
    readConfig(env, args)
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.faults
    throw error
  }
}

test('nothing set is a sandbox on loopback with its own database', () => {
  expect(readConfig({}, [])).toEqual({
    port: 8480,
    ...{ keys: null, backupPassphrase: null },
    ...{ host: '127.0.0.1', tls: null, requireTls: false },
    ...{ baseUrl: 'http://127.0.0.1:8480', connectUrl: 'http://127.0.0.1:8480' },
    trustedProxies: [],
    dataDir: resolve('data'),
    feedsDir: null,
    bankProfilesDir: null,
    ...{ databaseUrl: null, databaseDirectUrl: null, databaseReadUrl: null, databaseReadStalenessSeconds: 5, databasePassword: null },
    logLevel: 'info',
    environment: 'sandbox',
    ...{ allowPrivateAddresses: true, egressAllowedHosts: null, breachedPasswords: null, clamdAddress: null },
    accessTokenMinutes: 60,
    retention: { runs: 13, links: 13, timeline: 24, sourceFiles: 24, rawPages: 24, versions: null, receipts: null },
    pageBucket: null,
    auditMonths: 13,
    auditSink: null,
    ...{ seedEmail: 'developer@example.com', seedPassword: null, instanceName: '127.0.0.1:8480', quotas: DEFAULT_QUOTAS },
    role: 'all',
    metricsListen: null,
    metricsToken: null,
    limits: {
      maxConnections: 10_000,
      requestLimits: { perSession: 6_000, perInstance: 60_000, perNetwork: 600 },
      login: { perAccount: 5, perNetwork: 30, windowSeconds: 900, perMinute: 600, codeDriftSteps: 1 },
      hashCost: { memoryKiB: 65_536, passes: 3, lanes: 1 },
    },
    ...{ smtpUrl: null, smtpToken: null, mailFrom: null, mailCatcherPort: null, telemetry: null },
    doubts: [],
  })
})

test('every setting is taken', () => {
  const env = {
    ...{ PORT: '9000', HOST: '0.0.0.0', TLS_CERT_FILE: '/srv/own.pem', TLS_KEY_FILE: '/srv/own.key' },
    ...{ BASE_URL: 'https://data.example.com/', CONNECT_URL: 'https://connect.example.com' },
    TRUSTED_PROXIES: 'loopback, 192.0.2.7 2001:db8::/32',
    DATA_DIR: '/srv/countinghouse',
    BANK_PROFILES_DIR: '/srv/banks',
    FEEDS_DIR: '/srv/feeds',
    DATABASE_URL: 'postgres://app:pw@db:5432,standby:5433/countinghouse',
    DATABASE_DIRECT_URL: 'postgres://app:pw@direct/countinghouse',
    ...{ DATABASE_READ_URL: 'postgres://app:pw@one,two:5433/countinghouse', DATABASE_READ_STALENESS_SECONDS: '10' },
    LOG_LEVEL: 'warn',
    ENVIRONMENT: 'production',
    ...{ ALLOW_PRIVATE_ADDRESSES: 'true', EGRESS_ALLOWED_HOSTS: 'api.example.com, *.bank.example', BREACHED_PASSWORDS: '/srv/p' },
    ...{ CLAMD_ADDRESS: '[2001:db8::7]:3310', ACCESS_TOKEN_MINUTES: '1440' },
    RAW_PAGE_MONTHS: '36',
    RAW_PAGE_STORAGE: 'bucket',
    RAW_PAGE_BUCKET: 'https://s3.example.com/pages/of/us',
    RAW_PAGE_BUCKET_REGION: 'ca-central-1',
    RAW_PAGE_BUCKET_KEY: 'AK:s:k',
    RUN_MONTHS: 'never',
    LINK_MONTHS: '1',
    TIMELINE_MONTHS: '2',
    FILE_MONTHS: '3',
    VERSION_MONTHS: '84',
    RECEIPT_MONTHS: '120',
    AUDIT_MONTHS: 'never',
    AUDIT_SINK: 'syslog+tls://logs.example.com',
    SEED_EMAIL: 'ann@example.com',
    SEED_PASSWORD: 'correct horse',
    ...{ INSTANCE_NAME: ' Maple Lending ', QUOTAS: 'companies=10, uploads=0' },
    ROLE: 'worker',
    METRICS_LISTEN: '[::]:8490',
    METRICS_TOKEN: 'sixteen-characters',
    SMTP_URL: 'smtps://post:pw@mail.example.com:465',
    MAIL_FROM: 'no-reply@exämple.com',
    MAIL_CATCHER_PORT: '2525',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318',
  }
  const {
    databaseUrl,
    databaseDirectUrl,
    databaseReadUrl,
    seedPassword,
    smtpUrl,
    metricsToken,
    limits: _ofTheApi,
    ...rest
  } = readConfig(env, [])
  const secrets = {
    ...{ databaseUrl: databaseUrl?.reveal(), databaseDirectUrl: databaseDirectUrl?.reveal(), databaseReadUrl: databaseReadUrl?.reveal() },
    seedPassword: seedPassword?.reveal(),
    smtpUrl: smtpUrl?.reveal(),
    metricsToken: metricsToken?.reveal(),
  }
  expect({ ...rest, ...secrets }).toEqual({
    port: 9000,
    ...{ tls: { certFile: '/srv/own.pem', keyFile: '/srv/own.key' }, requireTls: false },
    ...{ keys: null, backupPassphrase: null },
    host: '0.0.0.0',
    ...{ baseUrl: 'https://data.example.com', connectUrl: 'https://connect.example.com' },
    trustedProxies: ['127.0.0.0/8', '::1/128', '192.0.2.7', '2001:db8::/32'],
    dataDir: '/srv/countinghouse',
    feedsDir: '/srv/feeds',
    bankProfilesDir: '/srv/banks',
    databaseUrl: 'postgres://app:pw@db:5432,standby:5433/countinghouse',
    databaseDirectUrl: 'postgres://app:pw@direct/countinghouse',
    ...{ databaseReadUrl: 'postgres://app:pw@one,two:5433/countinghouse', databaseReadStalenessSeconds: 10, databasePassword: null },
    logLevel: 'warn',
    environment: 'production',
    ...{ allowPrivateAddresses: true, egressAllowedHosts: ['api.example.com', '*.bank.example'], breachedPasswords: '/srv/p' },
    ...{ clamdAddress: { host: '2001:db8::7', port: 3310 }, accessTokenMinutes: 1440 },
    retention: { runs: null, links: 1, timeline: 2, sourceFiles: 3, rawPages: 36, versions: 84, receipts: 120 },
    pageBucket: {
      ...{ endpoint: 'https://s3.example.com', bucket: 'pages', prefix: 'of/us/', region: 'ca-central-1' },
      ...{ accessKeyId: 'AK', secretAccessKey: new Secret('s:k'), isDestination: true },
    },
    auditMonths: null,
    auditSink: { kind: 'syslog', transport: 'tls', host: 'logs.example.com', port: 6514 },
    ...{ seedEmail: 'ann@example.com', seedPassword: 'correct horse', instanceName: 'Maple Lending' },
    quotas: { ...DEFAULT_QUOTAS, companies: 10, uploads: 0 },
    role: 'worker',
    metricsListen: { host: '::', port: 8490 },
    metricsToken: 'sixteen-characters',
    smtpUrl: 'smtps://post:pw@mail.example.com:465',
    ...{ smtpToken: null, mailFrom: 'no-reply@xn--exmple-cua.com' },
    mailCatcherPort: 2525,
    telemetry: {
      tracesUrl: 'http://127.0.0.1:4318/v1/traces',
      metricsUrl: 'http://127.0.0.1:4318/v1/metrics',
      sampler: { name: 'parentbased_always_on', ratio: 1 },
      spanDelayMs: 5_000,
      metricIntervalMs: 60_000,
    },
    doubts: [],
  })
})

describe('defaults that follow from other settings', () => {
  test('production does not call private addresses', () => {
    expect(readConfig({ ENVIRONMENT: 'production' }, []).allowPrivateAddresses).toBe(false)
  })

  test.each([
    [{ HOST: '0.0.0.0' }, 'http://localhost:8480'],
    [{ HOST: '::', PORT: '80' }, 'http://localhost:80'],
    [{ HOST: '::1' }, 'http://[::1]:8480'],
    [{ HOST: 'box.local', PORT: '1' }, 'http://box.local:1'],
  ])('the base address of %j is %s', (env, baseUrl) => {
    expect(readConfig(env, []).baseUrl).toBe(baseUrl)
  })

  test('an empty variable counts as unset', () => {
    expect(readConfig({ PORT: '', DATABASE_URL: '', SEED_EMAIL: '', SEED_PASSWORD: '' }, [])).toEqual(readConfig({}, []))
  })
})

describe('the argument --role', () => {
  const env = { DATABASE_URL: 'postgres://a@db/x', ROLE: 'worker' }

  test.each([[['--role', 'api']], [['--role=api']]])('%j wins over the variable', (args) => {
    expect(readConfig(env, args).role).toBe('api')
  })

  test.each([
    [['--role'], '--role: has no value; wanted is one of api, worker, all'],
    [['--role='], '--role: has no value; wanted is one of api, worker, all'],
    [['--role', 'boss'], 'ROLE: "boss" is not one of api, worker, all'],
    [['--rolle'], '"--rolle": unknown argument; known is --role api|worker|all'],
    [['start'], '"start": unknown argument; known is --role api|worker|all'],
    [['--port=1'], '"--port": unknown argument; known is --role api|worker|all'],
  ])('%j is refused', (args, fault) => {
    expect(faultsOf(env, args)).toEqual([fault])
  })
})

describe('a faulty setting is refused with its name, what came and what is wanted', () => {
  test.each([
    ['PORT', '0', 'a whole number from 1 to 65535'],
    ['PORT', '65536', 'a whole number from 1 to 65535'],
    ['PORT', '8480 ', 'a whole number from 1 to 65535'],
    ['PORT', '1e3', 'a whole number from 1 to 65535'],
    ['HOST', 'no host', 'an IP address or a host name'],
    ['HOST', '300.1.1.1', 'an IP address or a host name'],
    ['HOST', 'fe80::1%eth0', 'an IP address or a host name'],
    ['HOST', 'http://x', 'an IP address or a host name'],
    ['BASE_URL', 'data.example.com', 'an http or https address'],
    ['BASE_URL', 'ftp://data.example.com', 'an http or https address'],
    ['BASE_URL', 'https:data.example.com', 'an http or https address'],
    ['BASE_URL', 'https:/data.example.com', 'an http or https address'],
    ['BASE_URL', 'https://data.example.com/?a=1', 'an http or https address'],
    ['TRUSTED_PROXIES', 'nginx', 'a list of addresses'],
    ['TRUSTED_PROXIES', '10.0.0.0/33', 'a list of addresses'],
    ['TRUSTED_PROXIES', '10.0.0', 'a list of addresses'],
    ['TRUSTED_PROXIES', '127.1', 'a list of addresses'],
    ['TRUSTED_PROXIES', 'loopback, 0.0.0.0/0', 'a list of addresses'],
    ['TRUSTED_PROXIES', '::/0', 'a list of addresses'],
    ['TRUSTED_PROXIES', 'true', 'a list of addresses'],
    ['SEED_EMAIL', 'ann', 'an e-mail address'],
    ['QUOTAS', 'compnies=1', 'a list such as companies=1000'],
    ['LOG_LEVEL', 'loud', 'one of trace, debug, info, warn, error, fatal, silent'],
    ['ENVIRONMENT', 'prod', 'one of sandbox, production'],
    ['ALLOW_PRIVATE_ADDRESSES', 'yes', 'one of true, false'],
    ['ACCESS_TOKEN_MINUTES', '1441', 'a whole number from 1 to 1440'],
    ['ACCESS_TOKEN_MINUTES', '0', 'a whole number from 1 to 1440'],
    ['METRICS_LISTEN', ':8490', 'a port'],
    ['METRICS_LISTEN', '0.0.0.0:', 'a port'],
    ['METRICS_LISTEN', 'host:70000', 'a port'],
    ['MAX_CONNECTIONS', '0', 'a whole number from 10 to 1000000'],
    ['LOGINS_PER_ACCOUNT', '0', 'a whole number from 1 to 1000'],
    ['HASH_MEMORY_KIB', '1024', 'a whole number from 19456 to 1048576'],
    ['ROLE', 'API', 'one of api, worker, all'],
  ])('%s=%s', (name, value, wanted) => {
    expect(faultsOf({ [name]: value })).toEqual([expect.stringContaining(`${name}: ${JSON.stringify(value)} is not ${wanted}`)])
  })

  test('all faults come at once', () => {
    const faults = faultsOf({ PORT: 'x', LOG_LEVEL: 'y', ACCESS_TOKEN_MINUTES: 'z' }, ['--help'])
    expect(faults.map((fault) => fault.split(':')[0])).toEqual(['"--help"', 'PORT', 'LOG_LEVEL', 'ACCESS_TOKEN_MINUTES'])
  })

  test('a value of many lines makes one line', () => {
    expect(faultsOf({ LOG_LEVEL: 'a\nb\u001b[31m' })).toEqual([expect.stringContaining('LOG_LEVEL: "a\\nb\\u001b[31m" is not')])
  })
})

describe('a folder that does not exist', () => {
  test.each(['FEEDS_DIR', 'BANK_PROFILES_DIR'])('is refused as %s', (name) => {
    expect(() =>
      readConfig({ [name]: '/no/such' }, [], { isFolder: () => false, findDataFault: () => null, findTlsFaults: () => [] }),
    ).toThrow(`${name}: "/no/such" is not a folder that exists`)
  })
})

describe('a secret does not show in a fault', () => {
  test.each([
    ['DATABASE_URL', 'mysql://app:canary-pw@db/x'],
    ['DATABASE_URL', 'canary-pw'],
    ['DATABASE_URL', 'postgres://app:canary-pw@db'],
    ['SEED_PASSWORD', 'canary'],
    ['METRICS_TOKEN', 'canary'],
    ['BASE_URL', 'https://app:canary-pw@data.example.com'],
  ])('%s=%s', (name, value) => {
    const faults = faultsOf({ [name]: value })
    expect([faults.length, faults.join().includes('canary')]).toEqual([1, false])
  })

  test('of an argument only the name shows', () => {
    expect(faultsOf({}, ['--password=canary']).join()).not.toContain('canary')
  })

  test('a config that is printed shows none', () => {
    const config = readConfig({ DATABASE_URL: 'postgres://a:canary@db/x', SEED_PASSWORD: 'canary-pw' }, [])
    expect(JSON.stringify(config)).not.toContain('canary')
  })
})

describe('settings that do not go together are refused', () => {
  test.each<[Record<string, string>, string]>([
    [{ ROLE: 'api' }, 'ROLE: "api" needs DATABASE_URL, because the database that comes with the service serves one process'],
    [
      { ENVIRONMENT: 'production', BASE_URL: 'http://data.example.com' },
      'BASE_URL: "http://data.example.com" is not an https address, which production needs',
    ],
    [{ PORT: '9000', METRICS_LISTEN: '9000' }, 'METRICS_LISTEN: 127.0.0.1:9000 is the address of the API (HOST and PORT)'],
    [{ HOST: '0.0.0.0', METRICS_LISTEN: '8480' }, 'METRICS_LISTEN: 127.0.0.1:8480 is the address of the API (HOST and PORT)'],
  ])('%j', (env, fault) => {
    expect(faultsOf(env)).toEqual([fault])
  })

  test('the address of metrics is free where the API listens elsewhere or not at all', () => {
    expect(faultsOf({ HOST: '192.0.2.1', METRICS_LISTEN: '8480' })).toEqual([])
    expect(faultsOf({ ROLE: 'worker', DATABASE_URL: 'postgres://a@db/x', METRICS_LISTEN: '8480' })).toEqual([])
  })

  test('production on loopback may do without https', () => {
    expect(faultsOf({ ENVIRONMENT: 'production', BASE_URL: 'http://localhost:9000' })).toEqual([])
  })
})

describe('whatever comes', () => {
  const names = [
    'PORT',
    'HOST',
    'BASE_URL',
    'TRUSTED_PROXIES',
    'DATA_DIR',
    'DATABASE_URL',
    'LOG_LEVEL',
    'ENVIRONMENT',
    'ALLOW_PRIVATE_ADDRESSES',
    'ACCESS_TOKEN_MINUTES',
    'SEED_EMAIL',
    'SEED_PASSWORD',
    'METRICS_LISTEN',
    'METRICS_TOKEN',
    'ROLE',
  ]
  const value = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('0', 'true', 'api', 'http://', 'https://[', 'postgres://', 'postgres://%', '::', '10.0.0.0/8', 'toString', '__proto__'),
    fc.webUrl(),
  )
  const env = fc.dictionary(fc.oneof(fc.constantFrom(...names), fc.string()), value)
  const args = fc.array(fc.oneof(fc.constantFrom('--role', '--role=', '--role=api', '--', '-', 'all'), fc.string()))

  test('nothing but a ConfigError is thrown', () => {
    fc.assert(
      fc.property(env, args, (env, args) => Array.isArray(faultsOf(env, args))),
      { numRuns: 2_000 },
    )
  })

  test('what is accepted is within its limits', () => {
    fc.assert(
      fc.property(env, (env) => {
        if (faultsOf(env).length > 0) return
        const config = readConfig(env, [])
        new URL(config.baseUrl)
        expect([config.port >= 1 && config.port <= 65_535, config.accessTokenMinutes >= 1, config.baseUrl.endsWith('/')]).toEqual([
          true,
          true,
          false,
        ])
      }),
      { numRuns: 2_000 },
    )
  })
})
