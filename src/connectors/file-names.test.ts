import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const folder = import.meta.dirname

/** Files of every connector. */
const REQUIRED = ['index', 'client', 'authorization', 'request', 'read', 'map', 'type-table', 'wire']

/** Files of every connector with this part. */
const SHARED = [
  ...['accounts', 'transactions', 'errors', 'secret', 'cursor', 'paging', 'rows', 'texts', 'webhook', 'fingerprint', 'widget'],
  ...['company', 'currencies', 'dates', 'mask', 'status', 'tokens', 'profile', 'profile-files'],
]

/** Files of one connector only. */
const OWN: Record<string, readonly string[]> = {
  'bank-api': ['pointers', 'profile-faults', 'profile-rules', 'reads-by-kind', 'rules', 'shape-faults'],
  'bank-files': ['account-faults', 'detect', 'movement-faults', 'parts', 'reader', 'refusal', 'verification'],
  'business-central': ['entries'],
  fdx: ['app-check', 'client-proof', 'directory', 'endpoints', 'pending'],
  finicity: ['login-accounts'],
  flinks: ['session'],
  freeagent: ['windows'],
  hledger: ['balance', 'chart'],
  mambu: ['holder'],
  odoo: ['own-names'],
  quickbooks: ['sub-type-words'],
  stripe: ['fresh'],
  tryton: ['account-class', 'groups', 'stamps', 'type-words'],
  wave: ['queries'],
  xero: ['disconnect'],
  zoho: ['data-centres'],
}

/** Exceptions: files are uploaded, not requested; a profile contains the values of its bank. */
const WITHOUT: Record<string, readonly string[]> = { 'bank-files': ['authorization', 'request'], 'bank-api': ['type-table'] }

const connectors = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !['contract', 'toolkit'].includes(entry.name))
  .map(({ name }) => name)

const filesOf = (key: string) =>
  readdirSync(join(folder, key))
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => name.replace('.ts', ''))

describe('every connector', () => {
  it('has the same parts under the same file names, and a README', () => {
    const missing = connectors.flatMap((key) =>
      [...REQUIRED.map((name) => `${name}.ts`), 'README.md']
        .filter((name) => !existsSync(join(folder, key, name)))
        .map((name) => `${key}/${name}`),
    )
    expect(missing).toEqual(
      Object.entries(WITHOUT)
        .flatMap(([key, names]) => names.map((name) => `${key}/${name}.ts`))
        .sort(),
    )
  })

  it('has no other file but those that are named here', () => {
    const known = (key: string) => new Set([...REQUIRED, ...SHARED, ...(OWN[key] ?? [])])
    const others = connectors.flatMap((key) =>
      filesOf(key)
        .filter((name) => !known(key).has(name))
        .map((name) => `${key}/${name}`),
    )
    expect(others).toEqual([])
    const gone = Object.entries(OWN).flatMap(([key, names]) => names.filter((name) => !existsSync(join(folder, key, `${name}.ts`))))
    expect(gone).toEqual([])
    expect(SHARED.filter((name) => connectors.filter((key) => filesOf(key).includes(name)).length < 2)).toEqual([])
  })

  it('reads and maps without I/O: read.ts and map.ts know neither a kit nor a session', () => {
    const wrong = connectors
      .flatMap((key) => [`${key}/read.ts`, `${key}/map.ts`])
      .filter((file) => /\b(Kit|Session)\b|\.http\(/.test(readFileSync(join(folder, file), 'utf8')))
    expect(wrong).toEqual([])
  })

  it('names in its README only files that are there', () => {
    const wrong = connectors.flatMap((key) =>
      [...readFileSync(join(folder, key, 'README.md'), 'utf8').matchAll(/`([\w./-]+\.ts)`/g)]
        .map(([, file = '']) => file)
        .filter((file) => !existsSync(join(folder, key, file)) && !existsSync(join(folder, '..', file)))
        .map((file) => `${key}: ${file}`),
    )
    expect(wrong).toEqual([])
  })
})
