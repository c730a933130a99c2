import { describe, expect, test } from 'vitest'
import { readConfig } from './config.ts'

describe('a variable that is named nearly as a setting', () => {
  test.each([
    ['BANK_PROFILE_DIR', 'BANK_PROFILES_DIR'],
    ['TRUSTED_PROXY', 'TRUSTED_PROXIES'],
    ['DATABASE_URI', 'DATABASE_URL'],
    ['Base_Url', 'BASE_URL'],
    ['ENVIROMENT', 'ENVIRONMENT'],
    ['SMPT_URL', 'SMTP_URL'],
  ])('%s is told beside %s', (name, meant) => {
    expect(readConfig({ [name]: 'x' }, []).doubts).toEqual([`"${name}" is no setting; is ${meant} meant?`])
  })

  test.each([
    'HOSTNAME',
    'HOME',
    'PORTS',
    'npm_config_cache',
    'LOGNAME',
    'DATABASE_HOST',
    'NODE_ENV',
    'POSTGRES_URL',
    'LANGUAGE',
    'SSH_AUTH_SOCK',
    'SSL_CERT_FILE',
  ])('%s is not', (name) => {
    expect(readConfig({ [name]: 'x' }, []).doubts).toEqual([])
  })

  test('is told beside the faults, with which it may have to do', () => {
    expect(() => readConfig({ PORT: 'x', ACCESS_TOKEN_MINUTE: '5' }, [])).toThrow(/PORT: [\s\S]*is ACCESS_TOKEN_MINUTES meant/)
  })
})
