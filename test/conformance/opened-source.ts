import type { Grant, Kit, Session } from '../../src/connectors/contract/contract.ts'
import type { Json } from '../../src/model/values/json.ts'
import type { Opened, Row } from './subject.ts'

/** Common interface of the harnesses in a source's own tests. */
interface SourceHarness {
  kit: Kit
  simulator: { fault(name: string, times?: number): void; moveClock(ms: number): void }
  moveTime?(ms: number): void
  close(): Promise<void>
}

export function toOpened(harness: SourceHarness, grant: Grant): Opened {
  const session: Session = { kit: harness.kit, credentials: grant.credentials, entityId: grant.entity.id, nextFile: async () => null }
  return {
    session,
    grant,
    fault: (name, times) => harness.simulator.fault(name, times),
    moveTime: (ms) => (harness.moveTime ? harness.moveTime(ms) : harness.simulator.moveClock(ms)),
    close: () => harness.close(),
  }
}

/** Runs one test on a harness and closes it in any case. */
export async function withHarness<S extends { close(): Promise<void> }, T>(
  opening: Promise<S>,
  walk: (harness: S) => Promise<T>,
): Promise<T> {
  const harness = await opening
  try {
    return await walk(harness)
  } finally {
    await harness.close()
  }
}

/** Value at a path of property names; null if there is none. */
export function at(body: Json | undefined, ...path: readonly string[]): Json {
  let value: Json = body ?? null
  for (const name of path) {
    const next: Json | undefined = typeof value === 'object' && value !== null && !Array.isArray(value) ? value[name] : undefined
    if (next === undefined) return null
    value = next
  }
  return value
}

/** The list at a path; null if there is none. */
export function listAt(body: Json | undefined, ...path: readonly string[]): Json[] | null {
  const value = at(body, ...path)
  return Array.isArray(value) ? value : null
}

/** Texts of the named properties that a row has. */
export function textsOf(row: Row, ...names: readonly string[]): string[] {
  return names.flatMap((name) => (row[name] === null || row[name] === undefined ? [] : [String(row[name])]))
}
