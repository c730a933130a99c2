import { expect, it } from 'vitest'
import { localizeSourceName } from '../model/texts/source-names.ts'
import { connectors } from './registry.ts'

it('a source without a server of its own has no brand, so its name is translated for readers; no other name is', () => {
  const translated = connectors.filter(({ name }) => localizeSourceName(name, 'fr-CA') !== name)
  const own = connectors.filter(({ hosts, link }) => Object.keys(hosts).length === 0 && link === 'upload')
  expect(own.map(({ key }) => key)).toEqual(['bank-files'])
  expect(translated).toEqual(own)
})
