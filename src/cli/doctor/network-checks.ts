import { createEgress } from '../../egress/egress.ts'
import { EgressError } from '../../egress/egress-error.ts'
import { verifyMailServer } from '../../mail/smtp-transport.ts'
import type { Config } from '../../process/settings/config.ts'
import { mailTokenOf } from '../../process/start-mail.ts'
import type { Keys } from '../../store/keys/keys.ts'
import { ScannerUnavailable } from '../../sync/malware/check-file.ts'
import { Clamd } from '../../sync/malware/clamd.ts'
import { type Finding, find, findIf } from './checks.ts'

const TIMEOUT_MS = 8_000
const MAX_BYTES = 100_000

/** Whether this deployment answers at its public addresses, and how its requests arrive. */
export async function checkBaseUrl({ baseUrl, connectUrl }: Config, keys: Keys | null): Promise<Finding[]> {
  const findings = await Promise.all([...new Set([baseUrl, connectUrl])].map((address) => checkAddress(address, keys)))
  return findings.flat()
}

async function checkAddress(address: string, keys: Keys | null): Promise<Finding[]> {
  const egress = createEgress({ allowPrivate: true })
  const ask = async (path: string) => {
    const { status, body } = await egress.request({
      url: `${address}${path}`,
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_BYTES,
      headers: { accept: 'application/json' },
    })
    return { status, text: Buffer.from(body).toString('utf8') }
  }
  try {
    const health = await ask('/healthz')
    const isOurs = health.status === 200 && health.text.includes('"status":"ok"')
    if (!isOurs && health.status >= 500) return [find('base-url-unreachable', `${address}/healthz answers ${health.status}.`)]
    const known = keys === null ? [] : keys.signing.all.map(({ id }) => id)
    const jwks = isOurs ? (await ask('/.well-known/jwks.json')).text : ''
    if (!isOurs || (known.length > 0 && !known.some((id) => jwks.includes(id))))
      return [find('base-url-foreign', `${address} answers, but not with this deployment’s keys.`)]
    const isUntrusted = health.text.includes('"proxy":"untrusted"')
    return findIf(isUntrusted, 'proxy-untrusted', `A request to ${address} came through a proxy that TRUSTED_PROXIES does not name.`)
  } catch (error) {
    if (!(error instanceof EgressError)) throw error
    return [find('base-url-unreachable', `${address} does not answer: ${error.message}`)]
  } finally {
    await egress.close()
  }
}

/** Whether the mail server lets us in. */
export async function checkMailServer({
  smtpUrl,
  smtpToken,
  mailFrom,
}: Pick<Config, 'smtpUrl' | 'smtpToken' | 'mailFrom'>): Promise<Finding[]> {
  if (smtpUrl === null) return []
  const problem = await verifyMailServer({ url: smtpUrl, from: mailFrom ?? '', token: mailTokenOf({ smtpToken }) })
  return findIf(problem !== null, 'mail-unreachable', problem ?? '')
}

/** Whether the malware scanner answers, as clamd does. */
export async function checkMalwareScanner({ clamdAddress }: Pick<Config, 'clamdAddress'>): Promise<Finding[]> {
  if (clamdAddress === null) return []
  try {
    await new Clamd(clamdAddress, { deadlineMs: TIMEOUT_MS }).getVersion()
    return []
  } catch (error) {
    if (!(error instanceof ScannerUnavailable)) throw error
    return [find('malware-scanner-unreachable', `CLAMD_ADDRESS: ${error.message}.`)]
  }
}
