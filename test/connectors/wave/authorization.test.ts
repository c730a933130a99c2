import { describe, expect, test } from 'vitest'
import { closedAfterEach } from '../../harness/connector.ts'
import { complete, connect, consent, startLink } from '../../harness/redirect.ts'
import { DENTIST, openHarness, SHOP } from './harness.ts'

const newHarness = closedAfterEach(openHarness)

describe('connecting', () => {
  test('the owner signs in, selects a business and returns with a grant for it', async () => {
    const at = await newHarness()
    expect(await connect(at, { login: 'priya', businessId: DENTIST })).toMatchObject({
      entity: { id: DENTIST, name: 'Bow Valley Dental' },
      email: 'priya@raman-cpa.example',
      credentials: { expiresAt: '2026-07-01T13:58:00.000Z' },
    })
  })

  test('a token for all businesses returns a grant for each that is not archived', async () => {
    const at = await newHarness({ picksBusiness: false })
    const names = async (login: string) => (await complete(at, await consent(at, { login }))).map(({ entity }) => entity.name)
    expect([await names('priya'), await names('elodie')]).toEqual([
      ['Bow Valley Dental', 'Boutique Érable & Lin'],
      ['Boutique Érable & Lin'],
    ])
  })

  test('a reconnect requests the previous business from Wave, and selects it among several', async () => {
    const at = await newHarness({ picksBusiness: false })
    const [, second] = await complete(at, await consent(at, { login: 'priya' }))
    if (!second) throw new Error('no second grant')
    expect(new URL((await startLink(at, { reconnect: second.credentials })).url).searchParams.get('businessId')).toBe(SHOP)
    const back = await consent(at, { login: 'priya' }, { reconnect: second.credentials })
    expect((await complete(at, back, second.credentials)).map(({ entity }) => entity.id)).toEqual([SHOP])
  })
})
