import { describe, expect, it } from 'vitest'
import { serverName, urlsOf } from './database-url.ts'

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
