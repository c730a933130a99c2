import { expect, it } from 'vitest'
import { clientOf, toAgent } from './client.ts'

const MOZILLA = 'Mozilla/5.0'
it.each([
  [`${MOZILLA} (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/128.0 Safari/537.36 Edg/128.0`, 'Edge, Windows'],
  [`${MOZILLA} (Linux; Android 14) AppleWebKit/537.36 Chrome/128.0 Mobile Safari/537.36 EdgA/128.0`, 'Edge, Android'],
  [`${MOZILLA} (iPhone; CPU iPhone OS 17_5 like Mac OS X) Version/17.0 EdgiOS/128.0 Mobile Safari/604.1`, 'Edge, iOS'],
  [`${MOZILLA} (Macintosh; Intel Mac OS X 10_15_7) Chrome/128.0 Safari/537.36 OPR/113.0`, 'Opera, macOS'],
  [`${MOZILLA} (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0`, 'Firefox, Linux'],
  [`${MOZILLA} (X11; OpenBSD amd64; rv:128.0) Gecko/20100101 Firefox/128.0`, 'Firefox, Linux'],
  [`${MOZILLA} (iPad; CPU OS 17_5 like Mac OS X) FxiOS/128.0 Safari/605.1`, 'Firefox, iOS'],
  [`${MOZILLA} (iPhone; CPU iPhone OS 17_5 like Mac OS X) CriOS/128.0 Safari/604.1`, 'Chrome, iOS'],
  [`${MOZILLA} (X11; Linux x86_64) Chromium/128.0 Safari/537.36`, 'Chrome, Linux'],
  [`${MOZILLA} (Macintosh; Intel Mac OS X 10_15_7) Version/17.5 Safari/605.1.15`, 'Safari, macOS'],
  ['Firefox/128.0', 'Firefox'],
  ['Firefox', ''],
  ['curl/8.5.0', ''],
  ['', ''],
])('%s is %j', (userAgent, agent) => {
  expect(toAgent(userAgent)).toBe(agent)
})

it.each([
  ['fr-CA,fr;q=0.9,en;q=0.5', 'fr-CA'],
  [' FR', 'fr-CA'],
  ['fr;q=0.1', 'fr-CA'],
  ['en-CA,fr;q=0.9', 'en'],
  ['frr', 'en'],
  ['de', 'en'],
  ['*', null],
  [' * ', null],
  [' ', null],
  [undefined, null],
])('of a client that asks for the language %j, %j is kept', (header, language) => {
  const headers = header === undefined ? {} : { 'accept-language': header }
  expect(clientOf({ ip: '203.0.113.7', headers })).toEqual({ network: '203.0.113.7', agent: '', language })
})

it('of an address of IPv6 the network is kept', () => {
  expect(clientOf({ ip: '2001:db8:7:8::1', headers: { 'user-agent': 'Firefox/1' } })).toEqual({
    ...{ network: '2001:db8:7:8::/64', agent: 'Firefox', language: null },
  })
})
