import { expect, it } from 'vitest'
import { connectorsWith } from '../src/connectors/registry.ts'
import { SANDBOX_SOURCES } from './sandbox-sources.ts'

it('every source has its own port, without gaps', () => {
  expect(Object.values(SANDBOX_SOURCES).map(({ port }) => port)).toEqual(Object.keys(SANDBOX_SOURCES).map((_key, index) => index))
})

it('every connector that calls a source over HTTP has a simulator in the sandbox, and every simulator a connector', () => {
  const asking = connectorsWith(null, true).filter(({ link }) => link !== 'upload')
  expect(Object.keys(SANDBOX_SOURCES).sort()).toEqual(asking.map(({ key }) => key).sort())
})
