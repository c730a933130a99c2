import { BreachedPasswords, NoPasswordList } from '../../api/access/passwords/breached-passwords.ts'
import { EgressError } from '../../egress/egress-error.ts'
import { toTarget } from '../../egress/target.ts'
import { english } from '../../model/texts/plural.ts'
import type { Config } from '../../process/settings/config.ts'
import { readIdentity } from '../../process/tls/certificate.ts'
import { findUnencrypted } from '../../process/tls/require-tls.ts'
import { type Finding, find, findIf } from './checks.ts'

const DAY_MS = 86_400_000
const WARNING_DAYS = 14

/** Faults of the service’s own certificate, the list of breached passwords, and the list of destinations. */
export async function checkProtection(config: Config, now: Date): Promise<Finding[]> {
  return [...checkCertificate(config, now), ...(await checkPasswordList(config)), ...checkDestinations(config)]
}

/** Connections that may carry data in clear, one sentence each; none in the sandbox, whose sources are simulators. */
export function listUnencrypted(config: Config): string[] {
  if (config.environment === 'sandbox') return []
  return findUnencrypted(config).map(({ setting, fact }) => `${setting}: ${fact}`)
}

/** The settings were read, so the files can be used. */
function checkCertificate({ tls }: Config, now: Date): Finding[] {
  if (tls === null) return []
  const days = Math.floor((readIdentity(tls, now).expiresAt.getTime() - now.getTime()) / DAY_MS)
  const fact = `The certificate in ${tls.certFile} expires in ${english.count(days, 'day', 'days')}.`
  return findIf(days < WARNING_DAYS, 'tls-certificate-expiring', fact)
}

async function checkPasswordList({ breachedPasswords: path }: Config): Promise<Finding[]> {
  if (path === null) return []
  try {
    await (await BreachedPasswords.open(path)).close()
    return []
  } catch (error) {
    if (!(error instanceof NoPasswordList)) throw error
    return [find('breached-passwords-unusable', `${path} is no list of passwords: ${error.message}.`)]
  }
}

/** Names and addresses that the guard refuses anyway are likely to be misspelt. */
function checkDestinations({ egressAllowedHosts: hosts, allowPrivateAddresses }: Config): Finding[] {
  const useless = (hosts ?? []).filter((host) => !/[*/]/.test(host) && !isPublic(host))
  return findIf(
    useless.length > 0 && !allowPrivateAddresses,
    'allowed-hosts-useless',
    `EGRESS_ALLOWED_HOSTS lists ${useless.join(', ')}, which ALLOW_PRIVATE_ADDRESSES=false refuses.`,
  )
}

function isPublic(host: string): boolean {
  try {
    toTarget(`https://${host.includes(':') ? `[${host}]` : host}`, { reach: 'public', ports: [443] })
    return true
  } catch (error) {
    if (error instanceof EgressError) return false
    throw error
  }
}
