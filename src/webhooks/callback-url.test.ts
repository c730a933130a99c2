import { describe, expect, test } from 'vitest'
import { checkAuditTarget, checkCallbackUrl } from './callback-url.ts'
import { InvalidCallbackUrl } from './errors.ts'

const PRODUCTION = { allowPrivate: false }
const SANDBOX = { allowPrivate: true }

describe('a callback address', () => {
  test.each([
    'https://hooks.example.com',
    'https://hooks.example.com:443/in?tenant=1',
    'https://hooks.example.com:80/',
    'https://93.184.216.34/',
  ])('%s is taken', (url) => {
    expect(() => checkCallbackUrl(url, PRODUCTION)).not.toThrow()
  })

  test.each([
    'http://hooks.example.com/',
    'ftp://hooks.example.com/',
    'hooks.example.com',
    '',
    'https://',
    'https:hooks.example.com',
    'https:/hooks.example.com',
    'https:///hooks.example.com',
    'https:\\\\hooks.example.com',
    'https://hooks.example.com\\in',
    'https://user@hooks.example.com/',
    'https://user:secret@hooks.example.com/',
    'https://hooks.example.com:8443/',
    'https://hooks.example.com/a b',
    'https://hooks.example.com/\n',
    'https://hööks.example.com/',
    `https://hooks.example.com/${'a'.repeat(2048)}`,
    'https://localhost/',
    'https://intranet/',
    'https://db.internal/',
    'https://127.0.0.1/',
    'https://2130706433/',
    'https://10.0.0.1/',
    'https://[::1]/',
    'https://169.254.169.254/latest/meta-data',
  ])('%j is refused', (url) => {
    expect(() => checkCallbackUrl(url, PRODUCTION)).toThrow(InvalidCallbackUrl)
  })

  test.each(['https://user@hooks.example.com/', 'https://:secret@hooks.example.com/'])(
    '%s is refused for what stands before its host',
    (url) => {
      expect(() => checkCallbackUrl(url, PRODUCTION)).toThrow('user name or password')
    },
  )

  test('is refused for its port in words that name those it may have', () => {
    expect(() => checkCallbackUrl('https://hooks.example.com:8443/', PRODUCTION)).toThrow('the ports 80, 443 only')
  })

  test('may have 2,048 characters', () => {
    const start = 'https://hooks.example.com/'
    expect(() => checkCallbackUrl(start + 'a'.repeat(2048 - start.length), PRODUCTION)).not.toThrow()
    expect(() => checkCallbackUrl(start + 'a'.repeat(2049 - start.length), PRODUCTION)).toThrow('longer than 2048')
  })

  test.each(['http://127.0.0.1:4000/hook', 'http://localhost:4000/', 'https://hooks.example.com:8443/', 'http://192.168.0.5/'])(
    '%s is taken in the sandbox',
    (url) => {
      expect(() => checkCallbackUrl(url, SANDBOX)).not.toThrow()
    },
  )

  test.each(['http://169.254.169.254/', 'https://user@localhost/', 'ftp://localhost/'])('%s is refused in the sandbox too', (url) => {
    expect(() => checkCallbackUrl(url, SANDBOX)).toThrow(InvalidCallbackUrl)
  })

  test('an operator may allow plain http and further ports, and that opens nothing inside', () => {
    const rules = { allowPrivate: false, allowHttp: true, allowedPorts: [80, 443, 8443] }
    expect(() => checkCallbackUrl('http://hooks.example.com/', rules)).not.toThrow()
    expect(() => checkCallbackUrl('https://hooks.example.com:8443/', rules)).not.toThrow()
    expect(() => checkCallbackUrl('http://127.0.0.1/', rules)).toThrow(InvalidCallbackUrl)
  })

  test('at the port of its protocol is refused where the operator allows other ports only', () => {
    expect(() => checkCallbackUrl('https://hooks.example.com/', { allowPrivate: false, allowedPorts: [8443] })).toThrow(InvalidCallbackUrl)
  })
})

describe('audit entries', () => {
  const OWN = { ownHost: 'pay.example.com:8443' }

  test.each(['pay.example.com:8443', 'pay.example.com.:8443', 'PAY.example.com:8443'])('are not sent to this deployment: %s', (host) => {
    const target = { event: 'AuditEntry', callbackUrl: `https://${host}/in` } as const
    expect(() => checkAuditTarget(target, OWN)).toThrow('an address of this deployment')
    expect(() => checkAuditTarget({ ...target, callbackUrl: 'https://pay.example.org/in' }, OWN)).not.toThrow()
  })

  test.each([
    ['pay.example.com', 'pay.example.com.'],
    ['pay.example.com', 'pay.example.com'],
    ['pay.example.com:8443', 'pay.example.com.:8443'],
  ])('are not sent to this deployment at %s under the name %s either, and other events are', (ownHost, host) => {
    const callbackUrl = `https://${host}/in`
    expect(() => checkAuditTarget({ event: 'AuditEntry', callbackUrl }, { ownHost })).toThrow('an address of this deployment')
    expect(() => checkAuditTarget({ event: 'NormalizedData', callbackUrl }, { ownHost })).not.toThrow()
  })
})
