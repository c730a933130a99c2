import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { folderForTests } from '../../../test/harness/for-tests.ts'
import { ConfigError, readConfig } from './config.ts'

const SECRETS = {
  DATABASE_URL: 'postgres://app:pw-of-a-test@db:5432/countinghouse',
  SMTP_URL: 'smtps://post:pw-of-a-test@mail.example.com:465',
  METRICS_TOKEN: 'pw-of-a-test-for-prometheus',
}
const NAMES = Object.keys(SECRETS)
const folder = folderForTests()

beforeAll(async () => {
  for (const [name, value] of Object.entries(SECRETS)) await writeFile(join(folder.path, name), `${value}\n`)
})

function readSecrets(env: Record<string, string>): (string | undefined)[] {
  const { databaseUrl, smtpUrl, metricsToken } = readConfig({ MAIL_FROM: 'books@example.com', ...env }, [])
  return [databaseUrl, smtpUrl, metricsToken].map((secret) => secret?.reveal())
}

function faultsOf(env: Record<string, string>): readonly string[] {
  try {
    readSecrets(env)
  } catch (error) {
    if (error instanceof ConfigError) return error.faults
    throw error
  }
  return []
}

describe('a secret of the settings', () => {
  it.each([
    ['a file', (name: string) => ({ [`${name}_FILE`]: join(folder.path, name) })],
    ['a command', (name: string) => ({ [`${name}_COMMAND`]: `cat '${join(folder.path, name)}'` })],
  ])('may come from %s', (_what, toEnv) => {
    expect(readSecrets(Object.assign({}, ...NAMES.map(toEnv)))).toEqual(Object.values(SECRETS))
  })

  it('is enough for a role that needs a database', () => {
    expect(faultsOf({ ROLE: 'worker', DATABASE_URL_FILE: join(folder.path, 'DATABASE_URL') })).toEqual([])
  })

  it('that is missing, fails or is wrong is named with all other faults, and never shown', () => {
    const faults = faultsOf({
      DATABASE_URL_FILE: join(folder.path, 'nothing'),
      SMTP_URL_COMMAND: 'echo pw-of-a-test; exit 3',
      METRICS_TOKEN_COMMAND: 'echo short',
      PORT: 'x',
    })
    expect(faults).toEqual([
      expect.stringMatching(/^PORT: /),
      `DATABASE_URL_FILE: ${JSON.stringify(join(folder.path, 'nothing'))} is not a file with the secret: it cannot be read, or fails`,
      expect.stringMatching(/^METRICS_TOKEN_COMMAND: the value is not a command that prints 16 to 200 /),
      'SMTP_URL_COMMAND: the value is not a command that prints the secret: it cannot be read, or fails',
    ])
    expect(faults.join()).not.toMatch(/pw-of-a-test|short/)
  })

  it('is refused when it is given twice', () => {
    const twice = { DATABASE_URL: SECRETS.DATABASE_URL, DATABASE_URL_FILE: join(folder.path, 'DATABASE_URL') }
    expect(faultsOf(twice).join()).toContain('the only one of DATABASE_URL, DATABASE_URL_FILE and DATABASE_URL_COMMAND')
  })
})
