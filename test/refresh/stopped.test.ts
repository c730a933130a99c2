import { afterEach, describe, expect, it } from 'vitest'
import { openForTests } from '../harness/for-tests.ts'
import { until, within } from '../process/deadline.ts'
import { hasGlewlwyd } from './glewlwyd.ts'
import type { ConnectionKey } from './harness.ts'
import { openProvidersHarness, type ProviderKey } from './providers-harness.ts'

const HOLDER = 0
const OTHER = 1
/** Queries by a caller that has checked at least three times whether the refresh is free. */
const QUESTIONS = 12

describe('a holder stopped between the provider’s response and our commit', () => {
  const providers = openForTests(() => openProvidersHarness({ withGlewlwyd: true }))
  const callers = openForTests(
    () => providers.refreshHarness.start(2),
    (callers) => callers.stop(),
  )

  afterEach(() => callers.signal(HOLDER, 'SIGCONT'))

  /** The holder has its response and is stopped. */
  async function stopHolder(connectorKey: ProviderKey, place: ConnectionKey) {
    const hold = providers.proxyOf(connectorKey).hold()
    const held = callers.askIn(HOLDER, { connectorKey, place, times: 1, rejected: 1 })
    await within('the provider answers', hold.given)
    callers.signal(HOLDER, 'SIGSTOP')
    hold.letGo()
    return {
      resume: async () => {
        callers.signal(HOLDER, 'SIGCONT')
        return await held
      },
    }
  }

  /** Stopped for 90 s: the lease of 60 s expired 30 s ago. */
  async function stopFor90s(connectorKey: ProviderKey) {
    const { refreshHarness } = providers
    const place = await providers.authorize(connectorKey)
    const before = providers.proxyOf(connectorKey).answers.length
    const holder = await stopHolder(connectorKey, place)
    await refreshHarness.expireLease(place, 30)
    let questions = 0
    refreshHarness.deps.database.on('acquire', () => {
      questions += 1
    })
    const other = refreshHarness.open(connectorKey, place, 1).then(({ generation }) => generation)
    const meanwhile = await Promise.race([other, until('the other looks again', () => (questions >= QUESTIONS ? 'waits' : null))])
    const [first] = await holder.resume()
    return { meanwhile, first, other: await other, answers: providers.proxyOf(connectorKey).answers.slice(before) }
  }

  const oneCall = { meanwhile: 'waits', first: { generation: 2 }, other: 2, answers: [200] }

  it('makes the others wait for 90 s if each token works once', async () => {
    expect(await stopFor90s('freshbooks')).toEqual(oneCall)
  })

  it.skipIf(!hasGlewlwyd)(
    'makes the others wait for 90 s at Glewlwyd, and the token family survives (skipped without glewlwyd)',
    async () => {
      expect(await stopFor90s('glewlwyd')).toEqual(oneCall)
      expect(providers.glewlwyd?.countTokens()).toEqual({ given: 2, alive: 1 })
    },
  )

  it('is given up after five minutes, and what it stores later is kept or shredded by its age', async () => {
    const { refreshHarness } = providers
    const place = await providers.authorize('xero')
    const holder = await stopHolder('xero', place)
    await refreshHarness.expireLease(place, 301)
    expect(await callers.askIn(OTHER, { connectorKey: 'xero', place, times: 3, rejected: 1 })).toEqual(
      Array.from({ length: 3 }, () => ({ generation: 2 })),
    )
    const [late] = await holder.resume()
    expect(late).toEqual({ generation: await refreshHarness.read(place, 'credentials_generation') })
    expect(await refreshHarness.countVersions(place)).toBe(0)
  })
})
