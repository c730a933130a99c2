import { expect, test } from 'vitest'
import { Secret } from '../../model/values/secret.ts'
import { apiSettings } from './api-settings.ts'
import { readConfig } from './config.ts'

/** A setting for each field of `ApiSettings` that changes it. */
const SETTING_OF: Record<string, Record<string, string>> = {
  publicUrl: { BASE_URL: 'https://data.example.com' },
  issuer: { BASE_URL: 'https://data.example.com' },
  connectUrl: { CONNECT_URL: 'http://connect.example.com' },
  accessTokenMinutes: { ACCESS_TOKEN_MINUTES: '5' },
  trustedProxies: { TRUSTED_PROXIES: '10.0.0.0/8' },
  maxConnections: { MAX_CONNECTIONS: '77' },
  metrics: { METRICS_LISTEN: '9464' },
  'metrics.token': { METRICS_TOKEN: 'sixteen-characters' },
  'metrics.isOpenToMachine': { ENVIRONMENT: 'production' },
  'requestLimits.perSession': { REQUESTS_PER_SESSION: '7' },
  'requestLimits.perInstance': { REQUESTS_PER_INSTANCE: '7' },
  'requestLimits.perNetwork': { REQUESTS_PER_NETWORK: '7' },
  'login.perAccount': { LOGINS_PER_ACCOUNT: '7' },
  'login.perNetwork': { LOGINS_PER_NETWORK: '7' },
  'login.windowSeconds': { LOGIN_WINDOW_SECONDS: '77' },
  'login.perMinute': { LOGINS_PER_MINUTE: '7' },
  'login.codeDriftSteps': { CODE_DRIFT_STEPS: '0' },
  'hashCost.memoryKiB': { HASH_MEMORY_KIB: '20000' },
  'hashCost.passes': { HASH_PASSES: '4' },
  'hashCost.lanes': { HASH_LANES: '2' },
}

const settingsWith = (env: Record<string, string>) => apiSettings(readConfig(env, []))

function isGroup(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Secret)
}

function listLeaves(value: unknown, path: string[] = []): string[] {
  return isGroup(value) ? Object.entries(value).flatMap(([name, one]) => listLeaves(one, [...path, name])) : [path.join('.')]
}

function valueAt(settings: unknown, path: string): unknown {
  return path.split('.').reduce((value, name) => (isGroup(value) ? value[name] : undefined), settings)
}

test.each(listLeaves(settingsWith({})))('the field %s of the API’s settings can be set', (path) => {
  const env = SETTING_OF[path]
  expect(env, 'a setting for it, read in config.ts').toBeDefined()
  expect(valueAt(settingsWith(env ?? {}), path)).not.toEqual(valueAt(settingsWith({}), path))
})

test('metrics are taken from the public address by an address of their own', () => {
  expect(settingsWith({ METRICS_LISTEN: '9464', METRICS_TOKEN: 'sixteen-characters' }).metrics).toBeNull()
})

test.each<[Record<string, string>, string]>([
  [
    { BASE_URL: 'https://data.example.com', CONNECT_URL: 'https://data.example.com:8443' },
    'CONNECT_URL: "https://data.example.com:8443" has the host name of BASE_URL; it needs another, or none',
  ],
  [
    { BASE_URL: 'https://data.example.com', CONNECT_URL: 'http://connect.example.com' },
    'CONNECT_URL: "http://connect.example.com" is not https, as BASE_URL is',
  ],
  [
    { CONNECT_URL: 'https://connect.example.com/owners' },
    'CONNECT_URL: "https://connect.example.com/owners" is not an http or https address without a path, such as https://connect.example.com',
  ],
])('%j are refused', (env, fault) => {
  expect(() => readConfig(env, [])).toThrow(fault)
})
