import { existsSync, readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { connectorsWith } from '../../src/connectors/registry.ts'
import { httpSubjects, isInapplicable, subjectFile } from './subjects.ts'

const connectors = connectorsWith(null, true)

test('every connector of the registry has a subject', () => {
  expect(connectors.map(({ key }) => key).filter((key) => !existsSync(subjectFile(key)))).toEqual([])
})

test('every subject has a connector', () => {
  const keys = readdirSync(new URL('subjects/', import.meta.url)).map((file) => file.replace('.ts', ''))
  expect(keys.filter((key) => !connectors.some((connector) => connector.key === key))).toEqual([])
})

test('every subject lists the location of each kind of record that a pull delivers', () => {
  const missing = httpSubjects.flatMap(({ description, connector, subject }) =>
    connector.pulls.flatMap((pull) =>
      pull.delivers
        .filter((entity) => !subject.lists.some((list) => list.pull === pull.name && list.entity === entity))
        .map((entity) => `${description.key}: ${entity} of ${pull.name}`),
    ),
  )
  expect(missing).toEqual([])
})

test('every redirect source describes its codes and tokens, or gives a reason', () => {
  const silent = httpSubjects.filter(({ description, subject }) => description.link === 'redirect' && subject.redirect === undefined)
  expect(silent.map(({ description }) => description.key)).toEqual([])
})

test('every subject describes an owner without books, or gives a reason', () => {
  const silent = httpSubjects.filter(
    ({ subject: { withoutBooks, redirect } }) => withoutBooks === undefined && !Object(redirect).withoutBooks,
  )
  expect(silent.map(({ description }) => description.key)).toEqual([])
})

test('every connector uses the same file names for the same purposes', () => {
  const root = new URL('../../src/connectors/', import.meta.url)
  const uploads = new Set(connectors.filter(({ link }) => link === 'upload').map(({ key }) => key))
  const folders = readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  const missing = folders.flatMap(({ name: folder }) => {
    if (folder === 'contract' || folder === 'toolkit') return []
    const files = new Set(readdirSync(new URL(`${folder}/`, root)))
    const asks = uploads.has(folder) ? [] : ['authorization.ts', 'request.ts']
    const wanted = ['README.md', 'index.ts', 'client.ts', 'read.ts', 'map.ts', 'wire.ts', 'fixtures', ...asks]
    return wanted.filter((name) => !files.has(name)).map((name) => `${folder}/${name}`)
  })
  expect(missing).toEqual([])
})

test('a connector delivers what its description promises', () => {
  const delivered = httpSubjects.map(({ description, connector }) => [
    description.key,
    [...new Set(connector.pulls.flatMap(({ delivers }) => delivers))].sort(),
  ])
  expect(delivered).toEqual(httpSubjects.map(({ description }) => [description.key, [...description.entities].sort()]))
})

test('a promise that does not apply to a source gives the reason', () => {
  const reasons = httpSubjects.flatMap(({ subject }) => Object.values(subject).filter(isInapplicable))
  expect(reasons.filter(({ because }) => because.length < 15)).toEqual([])
  expect(reasons.length).toBeGreaterThan(0)
})
