import { afterEach, expect, test } from 'vitest'
import { type Kit, type Pull, type Session, SourceError, type SourceItem } from '../../../src/connectors/contract/contract.ts'
import { fineractConnector } from '../../../src/connectors/fineract/client.ts'
import { helixConnector } from '../../../src/connectors/helix/client.ts'
import { mambuConnector } from '../../../src/connectors/mambu/client.ts'
import type { Json } from '../../../src/model/values/json.ts'
import { sessionOf } from '../../harness/connector-calls.ts'
import { submit } from '../../harness/form.ts'
import * as fdx from '../fdx/harness.ts'
import * as fineract from '../fineract/harness.ts'
import * as helix from '../helix/harness.ts'
import * as mambu from '../mambu/harness.ts'

const open: { close(): Promise<void> }[] = []
const openFdx = fdx.trackedHarnesses()

afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.close()))
})

const BANKS = {
  fineract: async () => {
    const harness = await fineract.openHarness()
    open.push(harness)
    return { connector: fineractConnector, session: sessionOf(harness, await submit(harness, { clientId: '1' })) }
  },
  helix: async () => {
    const harness = await helix.openHarness()
    open.push(harness)
    return { connector: helixConnector, session: sessionOf(harness, await submit(harness, { customerId: '1021' })) }
  },
  mambu: async () => {
    const harness = await mambu.openHarness()
    open.push(harness)
    return { connector: mambuConnector, session: sessionOf(harness, await submit(harness, { holder: 'MTL-0042' })) }
  },
  fdx: async () => {
    const harness = await openFdx('fdx-ohio-valley')
    return { connector: harness.connector, session: sessionOf(harness, await fdx.link(harness)) }
  },
}

/** A kit for a bank that answers every third request for transactions with a wait, once each. */
function throttledOnce(kit: Kit): Kit & { waits: number; most: number } {
  const asked = new Map<string, number>()
  let underWay = 0
  const watched = {
    ...kit,
    waits: 0,
    most: 0,
    http: async (request: Parameters<Kit['http']>[0]) => {
      if (!/transaction/i.test(request.url)) return await kit.http(request)
      if (!asked.has(request.url)) asked.set(request.url, asked.size)
      underWay += 1
      watched.most = Math.max(watched.most, underWay)
      try {
        if ((asked.get(request.url) ?? 0) % 3 === 2) {
          asked.set(request.url, 0)
          watched.waits += 1
          throw new SourceError('rateLimited', 'wait', { retryAfterMs: 1_000 })
        }
        return await kit.http(request)
      } finally {
        underWay -= 1
      }
    },
  }
  return watched
}

/** A kit for a bank that answers every request for transactions with a wait. */
function closed(kit: Kit): Kit & { asked: number } {
  const watched = {
    ...kit,
    asked: 0,
    http: async (request: Parameters<Kit['http']>[0]) => {
      if (!/transaction/i.test(request.url)) return await kit.http(request)
      watched.asked += 1
      throw new SourceError('rateLimited', 'wait', { retryAfterMs: 1_000 })
    },
  }
  return watched
}

/** Resumes after the last page whenever the source asks to wait, as the engine does. */
async function readThrough(session: Session, pull: Pull): Promise<SourceItem[]> {
  const items: SourceItem[] = []
  let cursor: Json | null = null
  for (let tries = 0; tries < 200; tries += 1) {
    const page = await pull.fetch(session, cursor).catch((error: unknown) => {
      if (error instanceof SourceError && error.kind === 'rateLimited') return null
      throw error
    })
    if (page === null) continue
    if (Object.keys(page.answers).length > 0) items.push(...pull.read(page.answers))
    if (page.next === null) return items
    cursor = JSON.parse(JSON.stringify(page.next))
  }
  throw new Error('the listing does not end')
}

test.each(Object.keys(BANKS) as (keyof typeof BANKS)[])(
  '%s: transactions of several accounts are requested concurrently, and none is lost or duplicated if the bank asks to wait in between',
  async (name) => {
    const { connector, session } = await BANKS[name]()
    const pull = connector.pulls.find((each) => each.name === 'transactions')
    if (!pull) throw new Error('no pull of transactions')
    const calm = await readThrough(session, pull)
    const kit = throttledOnce(session.kit)
    const hurried = await readThrough({ ...session, kit }, pull)
    expect(kit.waits).toBeGreaterThan(0)
    expect(kit.most).toBeGreaterThan(1)
    expect(hurried).toEqual(calm)
  },
)

test.each(Object.keys(BANKS) as (keyof typeof BANKS)[])(
  '%s: no other accounts are requested from a bank that asks to wait',
  async (name) => {
    const { connector, session } = await BANKS[name]()
    const pull = connector.pulls.find((each) => each.name === 'transactions')
    if (!pull) throw new Error('no pull of transactions')
    const kit = closed(session.kit)
    await expect(pull.fetch({ ...session, kit }, null)).rejects.toMatchObject({ kind: 'rateLimited' })
    expect(kit.asked).toBe(1)
  },
)
