import { type StatusMessage, statusMessage } from '../../model/texts/status-messages.ts'
import type { LocalizedText } from '../../model/values/text.ts'
import { listTimelineMessagesOfLink } from '../../store/connections/connection-timeline.ts'
import type { Connection } from '../../store/connections/connections.ts'
import type { Db } from '../../store/db/database.ts'

/** Note on a file, or a part of one, that could not be imported; `name` is safe to display. */
export interface FileNote {
  name: string
  /** `refused`: nothing of the file was imported; `inPart`: all except what is named. */
  kind: 'refused' | 'inPart'
  text: LocalizedText
}

const CODES = { refused: 'fileRefused', inPart: 'fileInPart' } as const

/** Note as a timeline entry of a connection; `linkId` for a file uploaded by an owner. */
export function toFileNoteMessage({ name, kind, text }: FileNote, linkId?: string): StatusMessage {
  const parts = { name, en: text.en, fr: text['fr-CA'], ...(linkId === undefined ? {} : { linkId }) }
  if (kind === 'refused') return statusMessage(CODES.refused, `Error: the file "${name}" was refused: ${text.en}`, parts)
  return statusMessage(CODES.inPart, `The file "${name}" was taken in part: ${text.en}`, parts)
}

/** File name safe to display and store: banks put account numbers into it. */
export function shownName(name: string): string {
  return name
    .replace(/\d[\d -]{5,}\d/g, (digits) => `••••${digits.replace(/\D/g, '').slice(-4)}`)
    .replace(/[\p{Cc}"]/gu, '_')
    .slice(0, 200)
}

/** Joins several texts. */
export function joinTexts(texts: readonly LocalizedText[]): LocalizedText {
  return { en: texts.map(({ en }) => en).join(' '), 'fr-CA': texts.map((text) => text['fr-CA']).join(' ') }
}

/** File notes of the files uploaded with a link, in order. */
export async function listFileNotes(db: Db, connection: Pick<Connection, 'instanceId' | 'id'>, linkId: string): Promise<FileNote[]> {
  const messages = await listTimelineMessagesOfLink(db, connection, linkId, Object.values(CODES))
  return messages.map(({ code, parts }) => ({
    name: String(parts.name),
    kind: code === CODES.refused ? 'refused' : 'inPart',
    text: { en: String(parts.en), 'fr-CA': String(parts.fr) },
  }))
}
