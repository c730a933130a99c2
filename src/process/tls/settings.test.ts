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

describe('a password of PostgreSQL that is read again', () => {
  const URL = 'postgres://app@db/books'

  test('comes from one place, and needs an address without another', () => {
    expect(readConfig({ DATABASE_URL: URL, DATABASE_PASSWORD_COMMAND: 'print it' }, []).databasePassword).toEqual({
      kind: 'command',
      command: 'print it',
    })
    expect(readConfig({ DATABASE_URL: URL, DATABASE_PASSWORD_FILE: '/run/p' }, []).databasePassword).toEqual({
      kind: 'file',
      path: '/run/p',
    })
    expect(faultsOf({ DATABASE_PASSWORD_FILE: '/run/p' })).toEqual(['DATABASE_PASSWORD_FILE: needs DATABASE_URL, beside which it is used'])
    expect(faultsOf({ DATABASE_URL: URL, DATABASE_PASSWORD_FILE: '/run/p', DATABASE_PASSWORD_COMMAND: 'x' })).toEqual([
      'DATABASE_PASSWORD_FILE: "/run/p" is not usable: DATABASE_PASSWORD_COMMAND is set too',
    ])
    const twice = faultsOf({ DATABASE_URL: 'postgres://app:canary@db/books', DATABASE_PASSWORD_COMMAND: 'x' })
    expect(twice).toEqual([expect.stringMatching(/^DATABASE_URL: has a password, and/)])
    expect(twice.join()).not.toContain('canary')
  })
})
