import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Identity } from '../../src/egress/connector.ts'

/** Certificates are made with openssl; tests that need them are skipped if it is missing, except in CI. */
export const hasOpenssl = process.env.CI === 'true' || canRun('openssl')

/** A key and a self-signed certificate for these names (`DNS:…`, `IP:…`). */
export function makeIdentity(subject: string, names = 'IP:127.0.0.1'): Identity {
  const folder = mkdtempSync(join(tmpdir(), 'identity-'))
  const [keyFile, certificateFile] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')]
  const flags = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '36500', '-subj', `/CN=${subject}`]
  const more = ['-addext', `subjectAltName=${names}`, '-keyout', keyFile, '-out', certificateFile]
  execFileSync('openssl', ['req', '-x509', ...flags, ...more], { stdio: 'ignore' })
  const identity = { certificate: readFileSync(certificateFile, 'utf8'), privateKey: readFileSync(keyFile, 'utf8') }
  rmSync(folder, { recursive: true })
  return identity
}

function canRun(program: string): boolean {
  try {
    execFileSync(program, ['version'], { stdio: 'ignore' })
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false
    throw error
  }
}
