import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Identity } from '../../src/egress/connector.ts'
import { hasCode } from '../../src/model/error-code.ts'

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

/** The same, valid from one day to another (`YYYYMMDD`). */
export function makeIdentityFor([from, to]: readonly [string, string], subject: string, names = 'IP:127.0.0.1'): Identity {
  const folder = mkdtempSync(join(tmpdir(), 'identity-'))
  const run = (...flags: string[]) => execFileSync('openssl', flags, { cwd: folder, stdio: 'ignore' })
  writeFileSync(join(folder, 'index'), '')
  writeFileSync(join(folder, 'serial'), '01')
  const lines = ['[ca]', 'default_ca = own', '[own]', 'new_certs_dir = .', 'database = index', 'serial = serial', 'default_md = sha256']
  const more = ['policy = any', 'x509_extensions = names', '[any]', 'commonName = supplied', '[names]', `subjectAltName = ${names}`]
  writeFileSync(join(folder, 'ca.conf'), [...lines, ...more, ''].join('\n'))
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', 'key.pem']
  run('req', '-new', ...key, '-subj', `/CN=${subject}`, '-out', 'request.pem')
  const days = ['-startdate', `${from}000000Z`, '-enddate', `${to}000000Z`]
  run('ca', '-batch', '-notext', '-selfsign', '-config', 'ca.conf', '-keyfile', 'key.pem', '-in', 'request.pem', '-out', 'own.pem', ...days)
  const identity = { certificate: readFileSync(join(folder, 'own.pem'), 'utf8'), privateKey: readFileSync(join(folder, 'key.pem'), 'utf8') }
  rmSync(folder, { recursive: true })
  return identity
}

function canRun(program: string): boolean {
  try {
    execFileSync(program, ['version'], { stdio: 'ignore' })
    return true
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false
    throw error
  }
}
