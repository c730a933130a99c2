import { afterEach, expect, it } from 'vitest'
import { allowOnly, isAllowedHost } from '../../src/egress/allowed-hosts.ts'
import { toAllowedHosts } from '../../src/process/settings/allowed-hosts.ts'
import { readConfig } from '../../src/process/settings/config.ts'
import { guideBlock, settingsOf } from './guide-blocks.ts'

afterEach(() => allowOnly(null))

it('the list of destinations in the guide allows what it names, and nothing else', () => {
  const { EGRESS_ALLOWED_HOSTS = '' } = settingsOf(guideBlock('hardening.md', 'EGRESS_ALLOWED_HOSTS='))
  allowOnly(toAllowedHosts(EGRESS_ALLOWED_HOSTS))
  const hosts = ['quickbooks.api.intuit.com', 'production.plaid.com', 'hooks.customer.example', '192.0.2.9', 'plaid.com', 'www.example.com']
  expect(hosts.filter((host) => isAllowedHost(host, ['192.0.2.9'].includes(host) ? [host] : ['203.0.113.1']))).toEqual(hosts.slice(0, 4))
})

it('the scanner in the guide is the socket of Debian’s clamd', () => {
  expect(readConfig(settingsOf(guideBlock('hardening.md', 'CLAMD_ADDRESS=')), []).clamdAddress).toEqual({ path: '/run/clamav/clamd.ctl' })
})

it('the host name for the owners’ pages is set as the guide says', () => {
  const settings = { BASE_URL: 'https://data.example.com', ...settingsOf(guideBlock('hardening.md', 'CONNECT_URL=')) }
  expect(readConfig(settings, []).connectUrl).toBe('https://connect.example.com')
})
