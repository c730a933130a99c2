import type { Answers, Connector, ConnectorDescription, Pull, SourceItem } from '../../connectors/contract/contract.ts'
import { connectors } from '../../connectors/registry.ts'
import type { Source } from '../../connectors/sources.ts'

/** Larger pages are parsed in a thread: a megabyte takes this process about eight milliseconds. */
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
  else {
    const reader = bytesOf(answers) > LARGE_BYTES ? findReader(description) : undefined
    if (reader === undefined) yield pull.read(answers)
    else yield* files.read({ reader: toPageReader(reader, pull.name) }, answers)
  }
}

/**
 * Key by which a thread finds a connector that reads these pages: the same, or one that shares its folder, as a bank of
 * the deployment's own FDX profiles does.
 */
function findReader({ key, folder }: ConnectorDescription): string | undefined {
  return connectors.find((each) => each.key === key || (folder !== undefined && each.folder === folder))?.key
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
