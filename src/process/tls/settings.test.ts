import { describe, expect, test } from 'vitest'
import { ConfigError, readConfig } from '../settings/config.ts'

function faultsOf(env: Record<string, string>): readonly string[] {
  try {
    readConfig(env, [])
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.faults
    throw error
  }
}

describe('a certificate of the service itself', () => {
  test('needs its key, and a key its certificate', () => {
    expect(faultsOf({ TLS_CERT_FILE: '/a.pem' })).toEqual(['TLS_CERT_FILE: "/a.pem" is not complete: TLS_KEY_FILE is needed with it'])
    expect(faultsOf({ TLS_KEY_FILE: '/a.key' })).toEqual(['TLS_KEY_FILE: "/a.key" is not complete: TLS_CERT_FILE is needed with it'])
  })

  test('makes https the default of BASE_URL', () => {
    const { baseUrl } = readConfig({ TLS_CERT_FILE: '/a.pem', TLS_KEY_FILE: '/a.key', HOST: '0.0.0.0', PORT: '8443' }, [])
    expect(baseUrl).toBe('https://localhost:8443')
  })

  test('is reported with the other faults, each by its setting', () => {
    const folders = { isFolder: () => false, findDataFault: () => null, findTlsFaults: () => ['TLS_CERT_FILE: a', 'TLS_KEY_FILE: b'] }
    const read = () => readConfig({ TLS_CERT_FILE: '/a.pem', TLS_KEY_FILE: '/a.key', PORT: 'x' }, [], folders)
    expect(read).toThrow(/PORT: .*\n {2}TLS_CERT_FILE: a\n {2}TLS_KEY_FILE: b/)
  })
})
