import type { LocalizedText } from '../../model/values/text.ts'
import { type Examined, type FileReader, InputRefused } from '../contract/authorization.ts'
import { type Answers, SourceError, type SourceItem } from '../contract/contract.ts'
import { openFile, readItems, verifyFile } from './read.ts'
import { refused } from './refusal.ts'

/** Maximum number of faults listed for one file; the rest is counted. */
const MAX_TOLD = 20

/** File reader for statement files: readable parts are kept, unreadable ones reported. */
export const reader: FileReader = { examine, read }

/** Entity of a file. Files of all banks belong to one connection: the owner adds the next statement to the same one. */
function examine(bytes: Uint8Array): Examined {
  const { accounts, refusals, leftOut } = verifyFile(openFile(bytes))
  const [reason] = refusals
  if (accounts === 0 && reason !== undefined) throw new InputRefused(reason)
  if (accounts === 0) throw refused('The file holds no account statement.', 'Le fichier ne contient aucun relevé de compte.')
  return {
    grant: { credentials: { secret: null, expiresAt: null }, entity: { id: 'files', name: 'Bank files' } },
    leftOut: shorten(leftOut),
  }
}

function shorten(leftOut: readonly LocalizedText[]): readonly LocalizedText[] {
  const more = leftOut.length - MAX_TOLD
  if (more <= 0) return leftOut
  const rest: LocalizedText =
    more === 1
      ? { en: '1 more problem of this kind.', 'fr-CA': '1 autre problème de ce genre.' }
      : { en: `${more} more problems of this kind.`, 'fr-CA': `${more} autres problèmes de ce genre.` }
  return [...leftOut.slice(0, MAX_TOLD), rest]
}

/** A page without a file ends the list and is empty. */
function* read(answers: Answers): Generator<SourceItem, void> {
  const { file } = answers
  if (file === undefined) return
  try {
    const reading = openFile(file)
    yield* readItems(reading, verifyFile(reading))
  } catch (error) {
    if (error instanceof InputRefused) throw new SourceError('badData', error.message, { cause: error })
    throw error
  }
}
