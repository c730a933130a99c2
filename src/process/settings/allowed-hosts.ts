import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import type { AllowedHost } from '../../egress/allowed-hosts.ts'
import { InvalidSetting, toHost } from './setting-values.ts'

/** List of destinations, separated by commas or blanks. */
export function toAllowedHosts(text: string): AllowedHost[] {
  const hosts = text.split(/[\s,]+/).filter((part) => part !== '')
  if (hosts.length === 0 || !hosts.every(isDestination))
    throw new InvalidSetting('a list of host names, *.example.com for the names below one, addresses and ranges (192.0.2.0/24)')
  return hosts
}

function isDestination(part: string): boolean {
  if (part.includes('/')) return ipaddr.isValidCIDR(part)
  if (isIP(part) !== 0) return !part.includes('%')
  const name = part.startsWith('*.') ? part.slice(2) : part
  try {
    return isIP(toHost(name)) === 0 && (name.includes('.') || !part.startsWith('*.'))
  } catch (error) {
    if (error instanceof InvalidSetting) return false
    throw error
  }
}
