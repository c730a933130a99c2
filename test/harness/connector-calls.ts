import { InputRefused } from '../../src/connectors/contract/authorization.ts'
import { type Answers, type Grant, type Kit, type Pull, type Session, SourceError } from '../../src/connectors/contract/contract.ts'
import type { Json } from '../../src/model/values/json.ts'

/** What a connector gets to read the books of a grant; no files. */
export function sessionOf({ kit }: { kit: Kit }, { credentials, entity }: Pick<Grant, 'credentials' | 'entity'>): Session {
  return { kit, credentials, entityId: entity.id, nextFile: async () => null }
}

/** Every page of a pull; `between` runs after each page but the last. */
export async function listPages(session: Session, pull: Pull, between: (page: number) => void = () => {}): Promise<Answers[]> {
  const pages: Answers[] = []
  let cursor: Json | null = null
  do {
    const page = await pull.fetch(session, cursor)
    pages.push(page.answers)
    cursor = page.next
    if (cursor !== null) between(pages.length)
  } while (cursor !== null)
  return pages
}

/** The error that a call throws; anything but a `SourceError` is a failure of the test. */
export async function failureOf(call: Promise<unknown>): Promise<SourceError> {
  const outcome = await outcomeOf(call)
  if (outcome instanceof SourceError) return outcome
  throw new Error('expected a SourceError', { cause: outcome })
}

/** What the form throws at the owner. */
export async function refusalOf(call: Promise<unknown>): Promise<InputRefused> {
  const outcome = await outcomeOf(call)
  if (outcome instanceof InputRefused) return outcome
  throw new Error('expected an InputRefused', { cause: outcome })
}

function outcomeOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => null,
    (error: unknown) => error,
  )
}
