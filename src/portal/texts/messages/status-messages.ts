import { english, french } from '../../../model/texts/plural.ts'
import { table } from '../language/table.ts'

/** Parameters of a message by name. */
export type MessageParts = Record<string, string | number>

const count = (parts: MessageParts, name: string): number => Number(parts[name] ?? 0)
const word = (parts: MessageParts, name: string): string => String(parts[name] ?? '')

const reasonsEn = {
  first: 'the first reading',
  schedule: 'on schedule',
  refresh: 'somebody asked for it',
  hint: 'the source said that something changed',
  file: 'somebody brought a file',
  feed: 'a file arrived by itself',
  resume: 'after a suspension',
  reconnect: 'after the owner signed in again',
  replay: 'stored pages normalized again',
}

const reasonsFr: typeof reasonsEn = {
  first: 'première lecture',
  schedule: 'à l’horaire',
  refresh: 'à la demande',
  hint: 'la source a signalé un changement',
  file: 'quelqu’un a remis un fichier',
  feed: 'un fichier est arrivé de façon automatique',
  resume: 'après une suspension',
  reconnect: 'après une nouvelle identification du propriétaire',
  replay: 'pages conservées normalisées de nouveau',
}

const endingsEn: Record<string, string> = {
  expired: 'its time was over',
  withdrawn: 'the owner withdrew it',
  disconnected: 'the connection was ended',
  replaced: 'the owner gave a new one',
  unused: 'no connection came of it',
  declined: 'the owner said no',
}

const endingsFr: Record<string, string> = {
  expired: 'sa durée était écoulée',
  withdrawn: 'le propriétaire l’a retiré',
  disconnected: 'la connexion a pris fin',
  replaced: 'le propriétaire en a donné un nouveau',
  unused: 'aucune connexion n’en est issue',
  declined: 'le propriétaire a refusé',
}

/** Messages of timeline entries by their code; for any other code the API's English text is shown. */
export const statusMessages = table(
  {
    reasons: reasonsEn,
    messages: {
      by: (parts: MessageParts) => `by ${word(parts, 'name')}`,
      consent: (parts: MessageParts) =>
        `${word(parts, 'purpose')}, ${english.count(count(parts, 'days'), 'day', 'days')}, read in ${word(parts, 'language').startsWith('fr') ? 'French' : 'English'}`,
      pages: (parts: MessageParts) => english.count(count(parts, 'pages'), 'page', 'pages'),
      counts: (parts: MessageParts) =>
        `${english.count(count(parts, 'records'), 'record', 'records')} read, ${count(parts, 'changed')} changed, ${count(parts, 'deleted')} deleted, ${count(parts, 'setAside')} set aside`,
      startedOver: () => 'the owner starts over',
      authorizedAgain: () => 'authorized again',
      pausedByOwner: () => 'by the owner',
      continuedByOwner: () => 'the owner let it go on',
      withdrawnByOwner: () => 'the owner withdrew it',
      sourceNotTold: () => 'the source could not be told; the access may still be shown there',
      entity: (parts: MessageParts) => word(parts, 'name'),
      byFeed: (parts: MessageParts) => `by the feed “${word(parts, 'name')}”`,
      fileRefused: (parts: MessageParts) => `The file “${word(parts, 'name')}” was refused: ${word(parts, 'en')}`,
      fileInPart: (parts: MessageParts) => `The file “${word(parts, 'name')}” was taken in part: ${word(parts, 'en')}`,
      ended: (parts: MessageParts) => endingsEn[word(parts, 'how')] ?? '',
    },
  },
  {
    reasons: reasonsFr,
    messages: {
      by: (parts) => `par ${word(parts, 'name')}`,
      consent: (parts) =>
        `${word(parts, 'purpose')}, ${french.count(count(parts, 'days'), 'jour', 'jours')}, lu en ${word(parts, 'language').startsWith('fr') ? 'français' : 'anglais'}`,
      pages: (parts) => french.count(count(parts, 'pages'), 'page', 'pages'),
      counts: (parts) =>
        [
          french.count(count(parts, 'records'), 'enregistrement lu', 'enregistrements lus'),
          french.count(count(parts, 'changed'), 'changé', 'changés'),
          french.count(count(parts, 'deleted'), 'supprimé', 'supprimés'),
          french.count(count(parts, 'setAside'), 'mis de côté', 'mis de côté'),
        ].join(', '),
      startedOver: () => 'le propriétaire recommence',
      authorizedAgain: () => 'autorisée de nouveau',
      pausedByOwner: () => 'par le propriétaire',
      continuedByOwner: () => 'le propriétaire l’a reprise',
      withdrawnByOwner: () => 'le propriétaire l’a retirée',
      sourceNotTold: () => 'la source n’a pas pu être avisée; l’accès peut encore y figurer',
      entity: (parts) => word(parts, 'name'),
      byFeed: (parts) => `par le flux « ${word(parts, 'name')} »`,
      fileRefused: (parts) => `Le fichier « ${word(parts, 'name')} » a été refusé : ${word(parts, 'fr')}`,
      fileInPart: (parts) => `Le fichier « ${word(parts, 'name')} » a été accepté en partie : ${word(parts, 'fr')}`,
      ended: (parts) => endingsFr[word(parts, 'how')] ?? '',
    },
  },
)
