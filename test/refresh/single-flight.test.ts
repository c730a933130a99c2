import { describe, expect, it } from 'vitest'
import { openForTests } from '../harness/for-tests.ts'
import type { Outcome } from './callers.ts'
import { hasGlewlwyd } from './glewlwyd.ts'
import { openProvidersHarness, type ProviderKey } from './providers-harness.ts'

const PROCESSES = 8
const CALLERS = 100
const EXPIRIES = 3
/** Longer than the lifetime of any provider's access tokens. */
const LIFE_MS = 13 * 3_600_000

it.runIf(process.env.CI === 'true')('glewlwyd is installed if CI is true', () => {
  expect(hasGlewlwyd).toBe(true)
})

describe(`${CALLERS} callers in ${PROCESSES} processes`, () => {
  const providers = openForTests(() => openProvidersHarness({ withGlewlwyd: true }))
  const callers = openForTests(
    () => providers.refreshHarness.start(PROCESSES),
    (callers) => callers.stop(),
  )

  /** Expires a token repeatedly; all callers request it at once each time. */
  async function expire(connectorKey: ProviderKey): Promise<{ outcomes: Outcome[][]; answers: number[] }> {
    const place = await providers.authorize(connectorKey)
    const before = providers.proxyOf(connectorKey).answers.length
    const outcomes: Outcome[][] = []
    for (let count = 0; count < EXPIRIES; count += 1) {
      providers.moveTime(LIFE_MS)
      outcomes.push(await callers.ask({ connectorKey, place, times: CALLERS }))
    }
    return { outcomes, answers: providers.proxyOf(connectorKey).answers.slice(before) }
  }

  const all = (generation: number) => Array.from({ length: CALLERS }, () => ({ generation }))
  const eachOnce = { outcomes: [all(2), all(3), all(4)], answers: [200, 200, 200] }

  it('make one call per expiry at a provider that accepts the previous token for a while', async () => {
    expect(await expire('xero')).toEqual(eachOnce)
  })

  it('make one call per expiry at a provider that accepts each token once', async () => {
    expect(await expire('freshbooks')).toEqual(eachOnce)
  })

  it.skipIf(!hasGlewlwyd)(
    'make one call per expiry at Glewlwyd, and the token family survives (skipped without the package glewlwyd)',
    async () => {
      expect(await expire('glewlwyd')).toEqual(eachOnce)
      expect(providers.glewlwyd?.countTokens()).toEqual({ given: 1 + EXPIRIES, alive: 1 })
    },
  )

  it('make one call if the source refuses a token that looked valid', async () => {
    const place = await providers.authorize('xero')
    const before = providers.proxyOf('xero').answers.length
    expect(await callers.ask({ connectorKey: 'xero', place, times: CALLERS, rejected: 1 })).toEqual(all(2))
    expect(providers.proxyOf('xero').answers.slice(before)).toEqual([200])
  })
})
