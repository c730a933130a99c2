import { english, french } from '../../../model/texts/plural.ts'
import { table } from '../language/table.ts'

/** Parameters of a message by name. */
export type MessageParts = Record<string, string | number>

const count = (parts: MessageParts, name: string): number => Number(parts[name] ?? 0)
const word = (parts: MessageParts, name: string): string => String(parts[name] ?? '')

const reasonsEn = {
  first: 'first sync',
  schedule: 'scheduled',
  refresh: 'requested',
  hint: 'the source reported a change',
  file: 'file uploaded',
  feed: 'file received from a feed',
  resume: 'resumed',
  reconnect: 'owner reconnected',
  replay: 'stored data normalized again',
}

const reasonsFr: typeof reasonsEn = {
  first: 'première synchronisation',
  schedule: 'selon l’horaire prévu',
  refresh: 'à la demande',
  hint: 'la source a signalé un changement',
  file: 'fichier téléversé',
  feed: 'fichier reçu d’un dépôt',
  resume: 'après une suspension',
  reconnect: 'après la reconnexion du propriétaire',
  replay: 'données conservées normalisées de nouveau',
}

const endingsEn: Record<string, string> = {
  expired: 'it expired',
  withdrawn: 'withdrawn by the owner',
  disconnected: 'the connection was disconnected',
  replaced: 'replaced by a newer consent',
  unused: 'never connected',
  declined: 'declined by the owner',
}

const endingsFr: Record<string, string> = {
  expired: 'il a expiré',
  withdrawn: 'retiré par le propriétaire',
  disconnected: 'la connexion a été rompue',
  replaced: 'remplacé par un consentement plus récent',
  unused: 'jamais connecté',
  declined: 'refusé par le propriétaire',
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
      startedOver: () => 'the owner started over',
      authorizedAgain: () => 'authorized again',
      pausedByOwner: () => 'paused by the owner',
      continuedByOwner: () => 'resumed by the owner',
      withdrawnByOwner: () => 'withdrawn by the owner',
      sourceNotTold: () => 'the source could not be notified; it may still list the access',
      entity: (parts: MessageParts) => word(parts, 'name'),
      byFeed: (parts: MessageParts) => `by the feed “${word(parts, 'name')}”`,
      fileRefused: (parts: MessageParts) => `File “${word(parts, 'name')}” rejected: ${word(parts, 'en')}`,
      fileInPart: (parts: MessageParts) => `File “${word(parts, 'name')}” partially accepted: ${word(parts, 'en')}`,
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
          french.count(count(parts, 'changed'), 'modifié', 'modifiés'),
          french.count(count(parts, 'deleted'), 'supprimé', 'supprimés'),
          french.count(count(parts, 'setAside'), 'mis de côté', 'mis de côté'),
        ].join(', '),
      startedOver: () => 'le propriétaire a recommencé',
      authorizedAgain: () => 'autorisée de nouveau',
      pausedByOwner: () => 'suspendue par le propriétaire',
      continuedByOwner: () => 'reprise par le propriétaire',
      withdrawnByOwner: () => 'retirée par le propriétaire',
      sourceNotTold: () => 'la source n’a pas pu être avisée; l’accès peut encore y figurer',
      entity: (parts) => word(parts, 'name'),
      byFeed: (parts) => `par le flux « ${word(parts, 'name')} »`,
      fileRefused: (parts) => `Le fichier « ${word(parts, 'name')} » a été refusé : ${word(parts, 'fr')}`,
      fileInPart: (parts) => `Le fichier « ${word(parts, 'name')} » a été accepté en partie : ${word(parts, 'fr')}`,
      ended: (parts) => endingsFr[word(parts, 'how')] ?? '',
    },
  },
)
