import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { createSecureContext } from 'node:tls'
import type { ServerIdentity } from '../../api/context/server-tls.ts'
import { reasonOf } from '../../model/texts/reason-of.ts'

/** Absolute paths of PEM files: the certificate with its chain, and its key. */
export interface TlsFiles {
  certFile: string
  keyFile: string
}

export interface ReadIdentity extends ServerIdentity {
  expiresAt: Date
}

/** Thrown with every fault of the two files, each with the name of its setting. Contains nothing of the key. */
export class InvalidCertificate extends Error {
  override readonly name = 'InvalidCertificate'
  readonly faults: readonly string[]

  constructor(faults: readonly string[]) {
    super(faults.join('; '))
    this.faults = faults
  }
}

/** Modes that give a key away: any right of others, and writing by the group. A group may read (Kubernetes’ `fsGroup`). */
const TOO_OPEN = 0o027

/** Reads and checks the files. Throws `InvalidCertificate`. */
export function readIdentity({ certFile, keyFile }: TlsFiles, now: Date): ReadIdentity {
  const faults: string[] = []
  const cert = readPem(certFile, 'TLS_CERT_FILE', faults)
  const key = readPem(keyFile, 'TLS_KEY_FILE', faults)
  const certificate = cert === null ? null : parseCertificate(cert, certFile, now, faults)
  const privateKey = key === null ? null : parseKey(key, keyFile, faults)
  if (certificate && privateKey && !certificate.checkPrivateKey(privateKey))
    faults.push(`TLS_KEY_FILE: ${show(keyFile)} does not belong to the certificate in TLS_CERT_FILE`)
  if (faults.length > 0 || cert === null || key === null || certificate === null) throw new InvalidCertificate(faults)
  try {
    createSecureContext({ cert, key })
  } catch (error) {
    throw new InvalidCertificate([`TLS_CERT_FILE: ${show(certFile)} cannot be used for TLS: ${reasonOf(error)}`])
  }
  return { cert, key, expiresAt: certificate.validToDate }
}

function readPem(path: string, setting: string, faults: string[]): string | null {
  try {
    if (setting === 'TLS_KEY_FILE') refuseOpenKey(path, faults)
    return readFileSync(path, 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? ` (${error.code})` : ''
    faults.push(`${setting}: ${show(path)} cannot be read by this user${code}`)
    return null
  }
}

/** Windows has no such modes: there the file’s own access list decides. */
function refuseOpenKey(path: string, faults: string[]): void {
  const mode = statSync(path).mode & 0o777
  if (process.platform !== 'win32' && (mode & TOO_OPEN) !== 0)
    faults.push(`TLS_KEY_FILE: others may read or change ${show(path)} (mode ${mode.toString(8)}); run: chmod 600 on it`)
}

function parseCertificate(pem: string, path: string, now: Date, faults: string[]): X509Certificate | null {
  let certificate: X509Certificate
  try {
    certificate = new X509Certificate(pem)
  } catch {
    faults.push(`TLS_CERT_FILE: ${show(path)} holds no certificate in PEM form`)
    return null
  }
  const { validFromDate, validToDate } = certificate
  if (validToDate <= now) faults.push(`TLS_CERT_FILE: the certificate in ${show(path)} expired on ${validToDate.toISOString()}`)
  if (validFromDate > now) faults.push(`TLS_CERT_FILE: the certificate in ${show(path)} is valid from ${validFromDate.toISOString()} on`)
  return certificate
}

function parseKey(pem: string, path: string, faults: string[]): KeyObject | null {
  try {
    return createPrivateKey(pem)
  } catch {
    const what = pem.includes('ENCRYPTED') ? 'is protected by a passphrase; store it without' : 'holds no private key in PEM form'
    faults.push(`TLS_KEY_FILE: ${show(path)} ${what}`)
    return null
  }
}

function show(path: string): string {
  return JSON.stringify(path)
}
