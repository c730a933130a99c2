import { UsageError } from './command.ts'

/** Most of several candidates that an error names. */
const MOST_NAMED = 5

interface Sought<Candidate> {
  what: string
  /** As the user wrote it. */
  text: string
  /** Command that lists all. */
  list: string
  /** Id and name, without control characters. */
  describe(candidate: Candidate): string
}

/** The only candidate; throws `UsageError` when there is none, or more than one, which it names. */
export function getOnlyOne<T>(found: readonly T[], { what, text, list, describe }: Sought<NoInfer<T>>): T {
  const [first, second] = found
  if (!first) throw new UsageError(`there is no ${what} ${JSON.stringify(text)}; ${list} lists them`)
  if (second) {
    const more = found.length > MOST_NAMED ? [`and ${found.length - MOST_NAMED} more`] : []
    const lines = [...found.slice(0, MOST_NAMED).map(describe), ...more].map((line) => `\n  ${line}`).join('')
    throw new UsageError(`more than one ${what} is called ${JSON.stringify(text)}; name it by its id:${lines}`)
  }
  return first
}
