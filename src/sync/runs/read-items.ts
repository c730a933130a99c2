import type { Answers, Connector, Pull, SourceItem } from '../../connectors/contract/contract.ts'
import { connectors } from '../../connectors/registry.ts'
import type { Source } from '../../connectors/sources.ts'

/** Connectors that a thread can find by their key; profiles of the deployment are not among them. */
const KNOWN = new Set(connectors.map(({ key }) => key))

/** Larger answers are parsed in a thread: a megabyte takes this process about ten milliseconds. */
export const LARGE_BYTES = 2 * 1024 * 1024

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
  else if (bytesOf(answers) > LARGE_BYTES && KNOWN.has(description.key))
    yield* files.read({ reader: toPageReader(description.key, pull.name) }, answers)
  else yield pull.read(answers)
}

function bytesOf(answers: Answers): number {
  return Object.values(answers).reduce((sum, body) => sum + body.length, 0)
}

const PAGE_READER = new URL('../../connectors/page-reader.ts', import.meta.url)

/** The thread gets the address of the module to read with. */
function toPageReader(connector: string, pull: string): URL {
  const reader = new URL(PAGE_READER)
  reader.search = new URLSearchParams({ connector, pull }).toString()
  return reader
}
