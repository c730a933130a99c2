import { describe, expect, test } from 'vitest'
import { ConfigError, readConfig } from './config.ts'

function faultsOf(env: Record<string, string>): readonly string[] {
  try {
    readConfig(env, [])
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.faults
    throw error
  }
}

describe('a mail server', () => {
  test.each([
    ['http://mail.example.com'],
    ['smtp://'],
    ['mail.example.com:25'],
    ['smtp://:pw@mail.example.com'],
    ['smtp://mail.example.com/?secure=no'],
    ['smtp://user:pw@mail.example.com?tls=off'],
    ['smtps://mail.example.com?tls=off'],
    ['smtp://mail.example.com?'],
    ['smtp://a:%ZZ@mail.example.com'],
  ])('is not %j', (SMTP_URL) => {
    const faults = faultsOf({ SMTP_URL, MAIL_FROM: 'no-reply@example.com' })
    expect(faults).toEqual([expect.stringMatching(/^SMTP_URL: the value is not smtp:/)])
  })

  test('has a user with a password, or with a token that is read again', () => {
    const mail = (SMTP_URL: string, more: Record<string, string> = {}) => faultsOf({ SMTP_URL, MAIL_FROM: 'a@example.com', ...more })
    expect(mail('smtp://post@mail.example.com', { SMTP_TOKEN_COMMAND: 'print it' })).toEqual([])
    expect(mail('smtps://post@mail.example.com', { SMTP_TOKEN_FILE: '/run/token' })).toEqual([])
    expect(mail('smtp://post@mail.example.com')).toEqual([expect.stringMatching(/^SMTP_URL: has a user without a password/)])
    for (const url of ['smtp://post:canary@mail.example.com', 'smtp://mail.example.com']) {
      const faults = mail(url, { SMTP_TOKEN_FILE: '/run/token' })
      expect(faults).toEqual([expect.stringMatching(/^SMTP_TOKEN_FILE, SMTP_TOKEN_COMMAND: need an SMTP_URL with a user and without/)])
      expect(faults.join()).not.toContain('canary')
    }
  })

  test('is never shown, nor its password', () => {
    const config = readConfig({ SMTP_URL: 'smtp://post:canary-pw@mail.example.com', MAIL_FROM: 'a@example.com' }, [])
    expect(JSON.stringify(config)).not.toContain('canary')
    expect(faultsOf({ SMTP_URL: 'smtp://post:canary-pw@mail example.com', MAIL_FROM: 'a@example.com' }).join()).not.toContain('canary')
  })

  test('needs an address that mails come from', () => {
    expect(faultsOf({ SMTP_URL: 'smtp://mail.example.com' })).toEqual([expect.stringContaining('MAIL_FROM: is needed with SMTP_URL')])
    expect(faultsOf({ MAIL_FROM: 'Lender <a@example.com>' })).toEqual([expect.stringContaining('is not an e-mail address')])
  })
})
