import type { Locale } from '../../model/values/text.ts'

/** Names of the kinds of destinations, the same in both languages. */
const KINDS = { s3: 'S3', sftp: 'SFTP', postgres: 'PostgreSQL' } as const

/**
 * Lines of a receipt about destinations at which exported data may be left. `place` is their address; without it only
 * the kind is named, for readers who should not learn the customer's addresses.
 */
export function leftBehindLines(
  unreached: readonly { name: string; kind: keyof typeof KINDS; place?: string }[],
): Record<Locale, string[]> {
  return {
    en: unreached.map(
      ({ name, kind, place = KINDS[kind] }) =>
        `Exported data may be left at the destination “${name}” (${place}): it could not be reached, or did not allow the deletion.`,
    ),
    'fr-CA': unreached.map(
      ({ name, kind, place = KINDS[kind] }) =>
        `Il peut rester des données exportées à la destination « ${name} » (${place}) : elle n’a pu être jointe, ou n’a pas permis la suppression.`,
    ),
  }
}

/** Line of a receipt that is issued before the destinations are emptied. */
export const BEING_DELETED: Record<Locale, string> = {
  en: 'What was exported is being deleted where it was delivered. Within 26 hours this receipt will say whether that succeeded.',
  'fr-CA':
    'Ce qui a été exporté est en cours de suppression là où il a été livré. D’ici 26 heures, ce reçu indiquera si la suppression a réussi.',
}

/** Line of a receipt once every destination is emptied. */
export const DELETED: Record<Locale, string> = {
  en: 'Files that were exported in the seven days before, and rows that were copied into databases, have been deleted there.',
  'fr-CA': 'Les fichiers exportés au cours des sept jours précédents et les lignes copiées dans des bases de données y ont été supprimés.',
}
