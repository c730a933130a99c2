import { expect, it } from 'vitest'
import { connectors, exampleConnectors } from '../../src/connectors/registry.ts'

/** Sources whose date of the last update does not move with each query. */
const WITH_A_DATE_OF_THEIR_OWN: ReadonlySet<string> = new Set(['fineract', 'helix', 'mambu', 'teller'])
const FDX = new Set(['akoya', 'flinks-outbound', 'fdx-caisse-du-confluent', 'fdx-ohio-valley'])

const banks = await Promise.all(
  [...connectors, ...exampleConnectors]
    .filter(({ category, link }) => category === 'Banking' && link !== 'upload')
    .map(async ({ key, load }) => [key, (await load()).entities.Accounts?.map] as const),
)

it.each(banks)('%s: a new date of observation alone is no new version of an account', (key, map) => {
  const isOfRecord = WITH_A_DATE_OF_THEIR_OWN.has(key) || FDX.has(key)
  expect(map?.observed).toEqual(isOfRecord ? ['actualBalanceDate'] : ['actualBalanceDate', 'sourceUpdatedDate'])
})
