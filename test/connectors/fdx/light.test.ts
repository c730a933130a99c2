import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { expect, it } from 'vitest'

const STATIC_IMPORT = /^(?:import|export)\s(?!type\b)[^'"]*?from\s+'([^']+)'|^import\s+'([^']+)'/gm

/** Everything that a file imports, transitively: our files, and names of packages. */
function loadedBy(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen
  seen.add(file)
  for (const [, named, bare] of readFileSync(file, 'utf8').matchAll(STATIC_IMPORT)) {
    const target = named ?? bare ?? ''
    if (target.startsWith('.')) loadedBy(resolve(dirname(file), target), seen)
    else seen.add(target)
  }
  return seen
}

it('the sandbox loads no OpenID provider before the first visit to such a bank', () => {
  const simulators = resolve(import.meta.dirname, '../../../simulators')
  const descriptions = readdirSync(simulators).map((name) => join(simulators, name, 'sandbox.ts'))
  const loaded = new Set<string>()
  for (const file of [join(simulators, 'sandbox.ts'), ...descriptions.filter((name) => existsSync(name))]) loadedBy(file, loaded)
  expect([...loaded].filter((name) => name.includes('sandbox-client'))).toHaveLength(1)
  expect([...loaded]).not.toContain('oidc-provider')
  expect([...loadedBy(resolve(import.meta.dirname, '../../../simulators/fdx/index.ts'))]).toContain('oidc-provider')
})

it('the service loads no JWT library for banks that are only listed', () => {
  const loaded = loadedBy(resolve(import.meta.dirname, '../../../src/connectors/fdx/index.ts'))
  expect(loaded.has('jose')).toBe(false)
})
