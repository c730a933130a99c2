import { X509Certificate } from 'node:crypto'
import type { Static } from 'typebox'
import { canBeAllowed, isPlainAllowed } from '../../../egress/allowed-hosts.ts'
import { EgressError } from '../../../egress/egress-error.ts'
import { hostOf, toTarget } from '../../../egress/target.ts'
import type { DestinationTarget } from '../../../store/exports/destinations.ts'
import type { CallbackRules } from '../../../webhooks/callback-url.ts'
import { badField } from '../../errors/errors.ts'
import { refuseBadKey } from '../sources/file-feed-input.ts'
import type { DestinationInput } from './destination-shapes.ts'

const PUBLIC_PORTS = [80, 443]

type Input = Static<typeof DestinationInput>

/** Destination from a request body, with its secret to be sealed. */
export async function readTarget(input: Input, rules: CallbackRules): Promise<{ target: DestinationTarget; secret: string }> {
  if (input.kind === 'postgres') return readDatabase(input, rules)
  if (input.kind === 'sftp') return await readServer(input, rules)
  const { region, bucket, prefix = '', accessKeyId, secretAccessKey } = input
  const target = { kind: 's3' as const, endpoint: readEndpoint(input.endpoint, rules), region, bucket, prefix, accessKeyId }
  return { target, secret: secretAccessKey }
}

async function readServer(input: Extract<Input, { kind: 'sftp' }>, rules: CallbackRules) {
  const { host, port = 22, user, hostKey, path, password, privateKey, passphrase } = input
  checkHost(host, rules)
  if (password !== undefined && privateKey !== undefined) throw badField('password', 'Give a password or a key, not both.')
  if (password === undefined && privateKey === undefined) throw badField('password', 'A password or a key is needed.')
  if (passphrase !== undefined && privateKey === undefined) throw badField('passphrase', 'There is no key that it opens.')
  if (privateKey !== undefined) await refuseBadKey(privateKey, passphrase, '')
  const authentication = password === undefined ? ('key' as const) : ('password' as const)
  const target = { kind: 'sftp' as const, host, port, user, hostKey, path: path.replace(/\/+$/, '') || '/', authentication }
  return { target, secret: JSON.stringify({ password, privateKey, passphrase }) }
}

function readDatabase(input: Extract<Input, { kind: 'postgres' }>, rules: CallbackRules) {
  const { kind, host, port = 5432, database, user, schema, tls = 'verify', certificateAuthority = null, password } = input
  checkHost(host, rules)
  if (tls === 'off' && !(rules.allowPrivate && isPlainAllowed())) throw badField('tls', 'must be verify: the connection is encrypted')
  if (certificateAuthority !== null && !isCertificate(certificateAuthority))
    throw badField('certificateAuthority', 'must be a certificate in PEM')
  return { target: { kind, host, port, database, user, schema, tls, certificateAuthority }, secret: password }
}

function isCertificate(text: string): boolean {
  try {
    return new X509Certificate(text).serialNumber !== ''
  } catch {
    return false
  }
}

/** The egress guard checks the addresses of the host at every connection. */
function checkHost(host: string, { allowPrivate }: CallbackRules): void {
  try {
    toTarget(`https://${host.includes(':') ? `[${host}]` : host}`, { reach: allowPrivate ? 'private' : 'public', ports: PUBLIC_PORTS })
  } catch (error) {
    throw error instanceof EgressError ? badField('host', 'must be a host on the public internet') : error
  }
  if (!canBeAllowed(host)) throw badField('host', 'must be a host that the operator allows')
}

/** Origin of the storage; the egress guard checks its addresses at every request. */
function readEndpoint(text: string, { allowPrivate, allowHttp, allowedPorts }: CallbackRules): string {
  const refusal = badField('endpoint', 'must be an https address on the public internet, without a path')
  try {
    const url = toTarget(text, { reach: allowPrivate ? 'private' : 'public', ports: allowedPorts ?? PUBLIC_PORTS })
    const isSafe = url.protocol === 'https:' || ((allowPrivate || allowHttp === true) && isPlainAllowed())
    if (!isSafe || url.pathname !== '/' || url.search !== '') throw refusal
    if (!canBeAllowed(hostOf(url))) throw badField('endpoint', 'must name a host that the operator allows')
    return url.origin
  } catch (error) {
    throw error instanceof EgressError ? refusal : error
  }
}
