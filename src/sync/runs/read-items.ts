import type { Answers, Connector, ConnectorDescription, Pull, SourceItem } from '../../connectors/contract/contract.ts'
import type { PageReaderInput } from '../../connectors/page-reader.ts'
import { connectors } from '../../connectors/registry.ts'
import type { Source } from '../../connectors/sources.ts'

/**
 * Larger pages are read in a thread. This one takes the process 10 ms, and 25 ms with numbers of more than 15 digits, in
 * one step.
 */
export const LARGE_BYTES = 1024 * 1024

/**
 * Records of a page, some at a time: uploaded files and large pages are read by a worker thread, everything else here.
 * Call `return` if not read to the end. Throws `SourceError`.
 */
export async function* readItems(
  { files, description }: Pick<Source, 'files' | 'description'>,
  connector: Connector,
  pull: Pull,
  answers: Answers,
): AsyncGenerator<Iterable<SourceItem>, void> {
  if (connector.authorize.step === 'upload') yield* files.read(connector.authorize, answers)
  else {
    const input = bytesOf(answers) > LARGE_BYTES ? toInput(description, pull) : null
    if (input === null) yield pull.read(answers)
    else yield* files.read({ reader: PAGE_READER, input }, answers)
  }
}

const PAGE_READER = new URL('../../connectors/page-reader.ts', import.meta.url)

/** Null for a connector that a thread cannot find: neither one of ours nor made of a profile. */
function toInput({ key, folder, profile }: ConnectorDescription, { name }: Pull): PageReaderInput | null {
  const isFound = profile !== undefined || connectors.some((each) => each.key === key)
  return isFound ? { connector: { key, folder, profile }, pull: name } : null
}

function bytesOf(answers: Answers): number {
  return Object.values(answers).reduce((sum, body) => sum + body.length, 0)
}
