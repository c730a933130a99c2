import { expect, test } from 'vitest'
import type { Connector, Session } from '../../src/connectors/contract/contract.ts'
import { contentsOf, type FetchedPage, normalize, readAllPulls, resumeOf, runPull } from './run.ts'
import { httpSubjects } from './subjects.ts'

const LATER_MS = 65 * 60_000

/** Opens a session, refreshing expired credentials as the engine does. */
async function openSession({ refreshCredentials }: Connector, session: Session): Promise<Session> {
  const { expiresAt } = session.credentials
  const isOver = expiresAt !== null && Date.parse(expiresAt) <= session.kit.now().getTime()
  return isOver && refreshCredentials ? { ...session, credentials: await refreshCredentials(session.kit, session.credentials) } : session
}

/** Day (UTC) at the simulator, `laterMs` from now. */
function dayOf({ kit }: Session, laterMs = 0): string {
  return new Date(kit.now().getTime() + laterMs).toISOString().slice(0, 10)
}

test.each(httpSubjects.map((each) => [each.description.key, each] as const))(
  '%s: a later read of unchanged data makes no new version',
  async (_key, source) => {
    const { connector, subject } = source
    const opened = await subject.open('small')
    try {
      // Both on one day: the next brings activity at some simulated banks.
      if (dayOf(opened.session) !== dayOf(opened.session, LATER_MS)) opened.moveTime(LATER_MS)
      const begun = await openSession(connector, opened.session)
      const first = await readAllPulls(begun, connector.pulls)
      opened.moveTime(LATER_MS)
      const session = await openSession(connector, begun)
      const again: FetchedPage[] = []
      for (const pull of connector.pulls) {
        const from = resumeOf(first.filter((page) => page.pull === pull))
        again.push(...(await runPull(session, pull, from)))
      }
      const known = normalize(source, first)
      const outcome = normalize(source, again, LATER_MS)
      // New records are expected: at some simulated banks a day has passed.
      const changes = [...outcome.delivered].flatMap(([key, { hash, content }]) => {
        const before = known.delivered.get(key)
        return before && before.hash !== hash ? [[before.content, content]] : []
      })
      expect(changes).toEqual([])
      expect(outcome.removed).toBe(0)
      expect(contentsOf(outcome).length).toBeGreaterThan(0)
    } finally {
      await opened.close()
    }
  },
)

test.each(
  httpSubjects.filter(({ description }) => description.category === 'Banking').map((each) => [each.description.key, each] as const),
)('%s: declares which dates of an account are observation dates', (_key, { connector }) => {
  expect(connector.entities.Accounts?.map.observed).toContain('actualBalanceDate')
})
