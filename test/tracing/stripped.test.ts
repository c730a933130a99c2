import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { stripTracing, TRACED_FILES } from '../../bench/servers/strip-tracing.ts'

const CHECKOUT = resolve(import.meta.dirname, '..', '..')

/** The benchmark of tracing compares with a build that has none: its hooks have to be where they are taken from. */
it.each(TRACED_FILES)('%s can be built without the hooks of tracing', (name) => {
  const path = join(CHECKOUT, name)
  const stripped = stripTracing(path, readFileSync(path, 'utf8'))
  expect(stripped).not.toMatch(/\btracer\?|activeTracer\(\)\?|openLeaf\('server'/)
  expect(() => stripTypeScriptTypes(stripped)).not.toThrow()
})

it('a file without hooks stays as it is', () => {
  expect(stripTracing('/src/api/server.ts', 'const a = 1\n')).toBe('const a = 1\n')
})
