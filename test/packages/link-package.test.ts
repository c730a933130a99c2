import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const FOLDER = new URL('../../sdk/link/', import.meta.url)
const MAX_BYTES = 6 * 1024

it('the package of the element holds the element, the component and their types, and nothing else', () => {
  const listed: unknown = JSON.parse(
    execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
      cwd: FOLDER,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  )
  expect(listed).toMatchObject([{ name: '@countinghouse/link' }])
  const paths = JSON.stringify(listed).match(/"path":"[^"]+"/g) ?? []
  expect(paths.map((path) => path.slice(8, -1)).toSorted()).toEqual(
    ['LICENSE', 'README.md', 'countinghouse-link.d.ts', 'countinghouse-link.js', 'package.json', 'react.d.ts', 'react.js'].toSorted(),
  )
})

it('the element is at most 6 KB as served, and the same as when its version was listed', () => {
  const bytes = readFileSync(new URL('countinghouse-link.js', FOLDER))
  const versions: unknown = JSON.parse(readFileSync(new URL('integrity.json', FOLDER), 'utf8'))
  expect(bytes.length).toBeLessThanOrEqual(MAX_BYTES)
  expect(versions).toEqual({ '1.0.0': `sha384-${createHash('sha384').update(bytes).digest('base64')}` })
})
