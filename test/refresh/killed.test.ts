import { describe, expect, it } from 'vitest'
import type { CrashPoint } from '../../src/model/crash-points.ts'
import { Status } from '../../src/model/statuses.ts'
import { runSyncJob } from '../harness/app/jobs.ts'
import { openForTests } from '../harness/for-tests.ts'
import { within } from '../process/deadline.ts'
import { effort } from '../prove/effort.ts'
import { reportFigure } from '../prove/figures.ts'
import { hasGlewlwyd } from './glewlwyd.ts'
import type { ConnectionKey } from './harness.ts'
import { openProvidersHarness, type ProviderKey } from './providers-harness.ts'

/** After the source's response, before anything is stored. */
const BEFORE_STORE = 'after-provider-token-before-commit'
/** After the credentials are stored, before the connection uses them. */
const BEFORE_USE = 'after-token-version-before-move'

const KILLS = Math.ceil(effort.refreshKills / 2)
const LIMIT_MS = KILLS * 20_000 + 60_000

describe('a process killed between the provider’s response and our commit', () => {
  const providers = openForTests(() => openProvidersHarness({ withGlewlwyd: true }))

  /** A separate process refreshes and dies at the given point; its lease has expired when this returns. */
  async function kill(connectorKey: ProviderKey, place: ConnectionKey, crashAt: CrashPoint): Promise<void> {
    const { refreshHarness } = providers
    const callers = await refreshHarness.start(1, { crashAt })
    void callers.askIn(0, { connectorKey, place, times: 1, rejected: await refreshHarness.read(place, 'credentials_generation') })
    await within('the process dies', callers.ended(0), 60_000)
    await refreshHarness.expireLease(place, 0)
  }

  async function statusAfterSync(place: ConnectionKey): Promise<number> {
    const { instanceId, id } = place
    await runSyncJob(providers.refreshHarness.deps, { instanceId, connectionId: id })
    return await providers.refreshHarness.read(place, 'status')
  }

  it(`costs nothing in ${KILLS} kills if the provider accepts the previous token for a while`, { timeout: LIMIT_MS }, async () => {
    const { refreshHarness } = providers
    const place = await providers.authorize('xero')
    for (let count = 1; count <= KILLS; count += 1) {
      const generation: number = await refreshHarness.read(place, 'credentials_generation')
      await kill('xero', place, count % 2 === 0 ? BEFORE_USE : BEFORE_STORE)
      expect(await refreshHarness.open('xero', place, generation)).toMatchObject({ generation: generation + 1 })
    }
    expect(await refreshHarness.countVersions(place)).toBe(0)
    expect(providers.proxyOf('xero').answers).not.toContain(400)
    expect(await statusAfterSync(place)).toBe(Status.Structured)
    reportFigure('refreshes killed before their commit, provider with a grace: connections to be repaired', `0 of ${KILLS}`)
  })

  it(`costs an authorization in ${KILLS} kills only if nothing was stored and each token works once, and one sync reports it`, {
    timeout: LIMIT_MS,
  }, async () => {
    const { refreshHarness } = providers
    let isBroken = true
    let place: ConnectionKey = { instanceId: '', id: '' }
    for (let count = 1; count <= KILLS; count += 1) {
      if (isBroken) place = await providers.authorize('freshbooks')
      const generation: number = await refreshHarness.read(place, 'credentials_generation')
      isBroken = count % 2 === 0
      await kill('freshbooks', place, isBroken ? BEFORE_STORE : BEFORE_USE)
      if (isBroken) expect(await statusAfterSync(place)).toBe(Status.Deauthorized)
      else expect(await refreshHarness.open('freshbooks', place, generation)).toMatchObject({ generation: generation + 1 })
    }
    reportFigure('refreshes killed before their commit, provider without a grace: found out within one sync', `all of ${KILLS}`)
  })

  it.skipIf(!hasGlewlwyd)(
    'uses what was stored without another request, and Glewlwyd’s token family survives (skipped without glewlwyd)',
    async () => {
      const place = await providers.authorize('glewlwyd')
      await kill('glewlwyd', place, BEFORE_USE)
      expect(await providers.refreshHarness.open('glewlwyd', place, 1)).toMatchObject({ generation: 2 })
      expect(await providers.refreshHarness.open('glewlwyd', place, 2)).toMatchObject({ generation: 3 })
      expect(providers.proxyOf('glewlwyd').answers).toEqual([200, 200])
      expect(providers.glewlwyd?.countTokens()).toEqual({ given: 3, alive: 1 })
    },
  )
})
