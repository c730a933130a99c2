import { describe, expect, it } from 'vitest'
import { asksForEncryption, connectionOf, isSocket, serverName, urlsOf } from './database-url.ts'

describe('the address of several servers', () => {
  it('is one address for each, in order, without options of libpq', () => {
    expect(urlsOf('postgres://app:p%2Cw@one:5432,two:5433,[::1]/name?target_session_attrs=read-write&sslmode=verify-full')).toEqual([
      'postgres://app:p%2Cw@one:5432/name?sslmode=verify-full',
      'postgres://app:p%2Cw@two:5433/name?sslmode=verify-full',
      'postgres://app:p%2Cw@[::1]/name?sslmode=verify-full',
    ])
  })

  it.each([
    'postgres://app@db/name',
    'postgresql://app:a,b@db:5432/name?application_name=a,b',
    'postgres://app@/name?host=%2Frun%2Fpostgresql',
  ])('is %s itself where it names one', (url) => {
    expect(urlsOf(url)).toEqual([url])
  })

  it('shows hosts without user and password', () => {
    expect(urlsOf('postgres://app:secret@one:5432,two/name').map(serverName)).toEqual(['one:5432', 'two'])
  })
})

describe('options of an address', () => {
  it.each([
    ['postgres://a@one/n?target_session_attrs=any', 'postgres://a@one/n'],
    ['postgres://a@one/n?load_balance_hosts=random&sslmode=require', 'postgres://a@one/n?sslmode=require'],
    [
      'postgres://a@one/n?sslmode=require&target_session_attrs=any&application_name=b',
      'postgres://a@one/n?sslmode=require&application_name=b',
    ],
    ['postgres://a@one/n?my_target_session_attrs=any', 'postgres://a@one/n?my_target_session_attrs=any'],
    ['postgres://a@/n?host=%2Frun&target_session_attrs=any', 'postgres://a@/n?host=%2Frun&target_session_attrs=any'],
    ['postgres://one,two/n?load_balance_hosts=random', 'postgres://one/n', 'postgres://two/n'],
    ['postgresql://one,two', 'postgresql://one,two'],
  ])('%s are those that pg knows', (url, ...expected) => expect(urlsOf(url)).toEqual(expected))
})

describe('the address of a socket', () => {
  const SOCKET = 'postgresql://my%20app@/name?host=%2Frun%2Fpost%20gresql'

  it('becomes options, because pg does not know it', () => {
    expect(connectionOf(SOCKET)).toEqual({ user: 'my app', database: 'name', host: '/run/post gresql', port: 5432 })
    expect(connectionOf('postgres://app@one/name')).toEqual({ connectionString: 'postgres://app@one/name' })
    expect(serverName(SOCKET)).toBe('/run/post gresql')
  })

  it.each([
    [SOCKET, true],
    ['postgres://app@/name?host=/run', true],
    ['postgres://app@one/name?host=/run', false],
    ['postgres://app:secret@/name?host=/run', false],
    ['postgres:///name?host=/run', false],
    ['http://postgres://app@/name?host=/run', false],
    ['postgres://app@/name?sslmode=require&host=/run', false],
  ])('%s: %s', (url, expected) => expect(isSocket(url)).toBe(expected))

  it('of no server has no name', () => expect(serverName('no address')).toBe(''))
})

describe('an address asks for encryption', () => {
  it.each([
    ['postgres://app@one/name?sslmode=require', true],
    ['postgres://app@one,two/name?sslmode=verify-full', true],
    ['postgres://app@one/name', false],
    ['postgres://app@one/name?sslmode=disable', false],
    ['postgres://app@one,two/name', false],
    ['postgres://app@/name?host=/run', false],
  ])('%s: %s', (url, expected) => expect(asksForEncryption(url)).toBe(expected))
})
