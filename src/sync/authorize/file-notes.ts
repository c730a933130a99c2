import { type StatusMessage, statusMessage } from '../../model/texts/status-messages.ts'
import type { LocalizedText } from '../../model/values/text.ts'
import { listTimelineMessagesOfLink } from '../../store/connections/connection-timeline.ts'
import type { Connection } from '../../store/connections/connections.ts'
import type { Db } from '../../store/db/database.ts'

/** What one of several files, or some of a file, could not be taken for; `name` is fit to be shown. */
export interface FileNote {
  name: string
  /** `refused`: nothing of the file was taken; `inPart`: all but what is named. */
  kind: 'refused' | 'inPart'
  text: LocalizedText
}

const CODES = { refused: 'fileRefused', inPart: 'fileInPart' } as const

/** As an entry of a connection's timeline; `linkId` where an owner handed the file in. */
export function toFileNoteMessage({ name, kind, text }: FileNote, linkId?: string): StatusMessage {
  const parts = { name, en: text.en, fr: text['fr-CA'], ...(linkId === undefined ? {} : { linkId }) }
  if (kind === 'refused') return statusMessage(CODES.refused, `Error: the file "${name}" was refused: ${text.en}`, parts)
  return statusMessage(CODES.inPart, `The file "${name}" was taken in part: ${text.en}`, parts)
}

/** A file's name fit to be shown and kept: banks put account numbers into it. */
export function shownName(name: string): string {
  return name
    .replace(/\d[\d -]{5,}\d/g, (digits) => `••••${digits.replace(/\D/g, '').slice(-4)}`)
    .replace(/[\p{Cc}"]/gu, '_')
    .slice(0, 200)
}

/** Several texts as one. */
export function joinTexts(texts: readonly LocalizedText[]): LocalizedText {
  return { en: texts.map(({ en }) => en).join(' '), 'fr-CA': texts.map((text) => text['fr-CA']).join(' ') }
}

/** What was left out of the files that were handed in with a link, in the order in which it was told. */
export async function listFileNotes(db: Db, connection: Pick<Connection, 'instanceId' | 'id'>, linkId: string): Promise<FileNote[]> {
  const told = await listTimelineMessagesOfLink(db, connection, linkId, Object.values(CODES))
  return told.map(({ code, parts }) => ({
    name: String(parts.name),
    kind: code === CODES.refused ? 'refused' : 'inPart',
    text: { en: String(parts.en), 'fr-CA': String(parts.fr) },
  }))
}
