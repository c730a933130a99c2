import { expect, it } from 'vitest'
import { SshUnreachable, toUnreachable } from './ssh.ts'

const fault = (facts: object) => Object.assign(new Error('SECRET of the server'), facts)

it.each([
  ['a refused login', fault({ level: 'client-authentication' }), 'the server refused the login'],
  ['a refused operation', fault({ code: 3 }), 'the server did not allow that'],
  ['another status of SFTP', fault({ code: 4 }), 'the server cannot be reached'],
  ['a broken connection', fault({ level: 'client-socket', code: 'ECONNRESET' }), 'the server cannot be reached'],
  ['a time-out', fault({ level: 'client-timeout' }), 'the server cannot be reached'],
  ['no error at all', { level: 'client-authentication', code: 3 }, 'the server cannot be reached'],
])('%s is told in our own words, with its cause', (_what, error, words) => {
  const told = toUnreachable(error)
  expect([told instanceof SshUnreachable, told.message, told.cause]).toEqual([true, words, error])
})

it('what is told already stays as it is', () => {
  const told = new SshUnreachable('the server shows another key than the one that is pinned')
  expect(toUnreachable(told)).toBe(told)
})
