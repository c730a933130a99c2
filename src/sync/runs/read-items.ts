import type { Answers, Connector, Pull, SourceItem } from '../../connectors/contract/contract.ts'
import type { Source } from '../../connectors/sources.ts'

/**
 * Records of a page, some at a time: uploaded files are read by a worker thread, everything else here. Call `return` if
 * not read to the end. Throws `SourceError`.
 */
export async function* readItems(
  { files }: Pick<Source, 'files'>,
  connector: Connector,
  pull: Pull,
  answers: Answers,
): AsyncGenerator<Iterable<SourceItem>, void> {
  if (connector.authorize.step === 'upload') yield* files.read(connector.authorize, answers)
  else yield pull.read(answers)
}
