import { describe, expect, it } from 'vitest'
import { toAllowedHosts } from './allowed-hosts.ts'

describe('EGRESS_ALLOWED_HOSTS', () => {
  it('is a list of names, endings, addresses and ranges', () => {
    const list = ['api.example.com', '*.bank.example', 'localhost', '192.0.2.7', '10.0.0.0/8', '2001:db8::/32', '::1']
    expect(toAllowedHosts(list.join(', '))).toEqual(list)
  })

  it.each(['*', '*.', '*.com', 'a..b', 'https://api.example.com', 'api.example.com:443', '10.0.0', '10.0.0.0/33', '*.*.example', ' , '])(
    'is not %j',
    (text) => expect(() => toAllowedHosts(text)).toThrow('a list of host names'),
  )
})
