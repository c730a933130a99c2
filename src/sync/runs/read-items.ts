import type { Answers, Connector, Pull, SourceItem } from '../../connectors/contract/contract.ts'
import type { Source } from '../../connectors/sources.ts'

/**
 * The records of a page, some at a time: of files that owners handed in read by a thread, of all others here. End it (`return`) where it is not
 * read to its end. Throws `SourceError`.
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
