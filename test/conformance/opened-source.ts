import type { Grant, Kit, Session } from '../../src/connectors/contract/contract.ts'
import type { Json } from '../../src/model/values/json.ts'
import type { Opened, Row } from './subject.ts'

/** What every harness of a source's own tests has. */
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

/** Runs one walk on a harness and closes it, whatever comes of it. */
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

/** What lies at a path of property names; null where there is nothing. */
export function at(body: Json | undefined, ...path: readonly string[]): Json {
  let value: Json = body ?? null
  for (const name of path) {
    const next: Json | undefined = typeof value === 'object' && value !== null && !Array.isArray(value) ? value[name] : undefined
    if (next === undefined) return null
    value = next
  }
  return value
}

/** The list at a path; null where there is none. */
export function listAt(body: Json | undefined, ...path: readonly string[]): Json[] | null {
  const value = at(body, ...path)
  return Array.isArray(value) ? value : null
}

/** The texts of properties of a row, those that it has. */
export function textsOf(row: Row, ...names: readonly string[]): string[] {
  return names.flatMap((name) => (row[name] === null || row[name] === undefined ? [] : [String(row[name])]))
}
