import type { FaultCode } from '../../api/generated/types.ts'
import { table } from '../language/table.ts'

/** Party responsible for a fault. */
type Party = 'owner' | 'source' | 'keys' | 'service'

interface FaultMessage {
  /** Description of the fault, in one sentence. */
  cause: string
  /** Next step. */
  next: string
}

type FaultMessages = Record<FaultCode, FaultMessage>

export const PARTIES: Record<FaultCode, Party> = {
  accessWithdrawn: 'owner',
  consentExpired: 'owner',
  codeNeeded: 'owner',
  loginChanged: 'owner',
  otherEntity: 'owner',
  declined: 'owner',
  timedOut: 'owner',
  sourceLimited: 'source',
  sourceUnavailable: 'source',
  badData: 'source',
  tooManySetAside: 'service',
  deletionsHeldBack: 'source',
  keysRefused: 'keys',
  internal: 'service',
}

const partiesEn: Record<Party, string> = {
  owner: 'Caused by the owner’s access',
  source: 'Caused by the source, not the owner or you',
  keys: 'Caused by the keys for this source, not the owner',
  service: 'Caused by this service, not the owner or you',
}

const partiesFr: Record<Party, string> = {
  owner: 'Lié à l’accès du propriétaire',
  source: 'Lié à la source, et non au propriétaire ni à vous',
  keys: 'Lié aux clés de cette source, et non au propriétaire',
  service: 'Lié à ce service, et non au propriétaire ni à vous',
}

const en: FaultMessages = {
  accessWithdrawn: {
    cause: 'Access ended at the source: it was withdrawn there or has expired.',
    next: 'Send the owner a repair link. Signing in again fixes the connection; no data is lost.',
  },
  consentExpired: {
    cause: 'The consent has expired: the owner gave it for a limited time.',
    next: 'Send the owner a repair link. A new consent starts a new period; no data is lost.',
  },
  codeNeeded: {
    cause: 'The bank asks the owner for a security code or the answer to a question (MFA).',
    next: 'Send the owner a repair link. Only the owner can give the code, on the bank’s own page.',
  },
  loginChanged: {
    cause: 'The user name or password at the source has changed, or the account is locked.',
    next: 'Send the owner a repair link to sign in with the current credentials.',
  },
  otherEntity: {
    cause: 'The source answered for another company file or bank login than the one connected; none of its data was stored.',
    next: 'Send the owner a repair link and ask them to choose the same company as before. To use another one, disconnect first.',
  },
  declined: {
    cause: 'The owner declined on the source’s page, or shared no accounts there.',
    next: 'Ask the owner why. A new link resumes where they left off.',
  },
  timedOut: {
    cause: 'The owner opened the source’s page and did not come back in time.',
    next: 'Send a new link. It resumes where they left off.',
  },
  sourceLimited: {
    cause: 'The source’s rate limit was reached (429).',
    next: 'No action needed: the sync resumes automatically when the source allows it. Published data stays available.',
  },
  sourceUnavailable: {
    cause: 'The source is down or returned a server error (5xx, or no response).',
    next: 'No action needed at first: it is retried on schedule. If the problem persists, check the source’s status page; “Sync now” retries immediately.',
  },
  badData: {
    cause: 'The source returned data that cannot be read: truncated, malformed, or not in its documented format.',
    next: 'Try “Sync now”. If the problem persists, report the sync’s request ID to the operator of this service: the connector may need an update.',
  },
  tooManySetAside: {
    cause: 'Too many records could not be normalized, so no data of this sync was published.',
    next: 'See “Data quality” for the records and reasons. Published data is unchanged.',
  },
  deletionsHeldBack: {
    cause: 'More than half of the records are missing at the source. They are kept until the deletion is confirmed.',
    next: 'Check the source. If they were really deleted, confirm it under “Data quality”; if they come back, this clears automatically.',
  },
  keysRefused: {
    cause: 'The source rejects the application’s keys, regardless of the owner.',
    next: 'Check the keys of this source in the catalogue or in sources.json. All of its connections wait and resume automatically.',
  },
  internal: {
    cause: 'This service failed while syncing the source.',
    next: 'It is retried on schedule; “Sync now” retries immediately. If the problem persists, report the time to the operator of this service.',
  },
}

const fr: FaultMessages = {
  accessWithdrawn: {
    cause: 'L’accès a pris fin à la source : il y a été retiré, ou sa durée est écoulée.',
    next: 'Envoyez au propriétaire un lien de réparation. Il lui suffit d’ouvrir une nouvelle session; aucune donnée n’est perdue.',
  },
  consentExpired: {
    cause: 'Le consentement a expiré : le propriétaire l’avait donné pour une durée limitée.',
    next: 'Envoyez au propriétaire un lien de réparation. Un nouveau consentement ouvre une nouvelle période; rien n’est perdu.',
  },
  codeNeeded: {
    cause: 'L’institution financière demande au propriétaire un code de sécurité ou la réponse à une question (AMF).',
    next: 'Envoyez au propriétaire un lien de réparation. Lui seul peut donner le code, sur la page de l’institution.',
  },
  loginChanged: {
    cause: 'Le code d’utilisateur ou le mot de passe a changé à la source, ou le compte y est verrouillé.',
    next: 'Envoyez au propriétaire un lien de réparation, pour qu’il ouvre une session avec ses identifiants actuels.',
  },
  otherEntity: {
    cause:
      'La source a répondu pour une autre comptabilité ou un autre accès que celui qui était connecté; aucune de ces données n’a été conservée.',
    next: 'Envoyez au propriétaire un lien de réparation et demandez-lui de choisir la même entreprise qu’avant. Pour une autre comptabilité, déconnectez d’abord.',
  },
  declined: {
    cause: 'Le propriétaire a refusé sur la page de la source, ou n’y a rien partagé.',
    next: 'Demandez-lui ce qui l’a retenu; un nouveau lien reprend là où il s’est arrêté.',
  },
  timedOut: {
    cause: 'Le propriétaire a ouvert la page de la source et n’en est pas revenu à temps.',
    next: 'Envoyez un nouveau lien; il reprend là où le propriétaire s’est arrêté.',
  },
  sourceLimited: {
    cause: 'La source limite le nombre de demandes (429) et nous prie d’attendre.',
    next: 'Rien à faire : la synchronisation reprendra automatiquement dès que la source le permettra. Les données publiées restent accessibles.',
  },
  sourceUnavailable: {
    cause: 'La source est en panne ou répond par une erreur qui lui est propre (5xx, ou aucune réponse).',
    next: 'Rien à faire d’abord : de nouveaux essais sont prévus. Si cela dure, consultez la page d’état de la source; « Synchroniser » essaie tout de suite.',
  },
  badData: {
    cause: 'La source a répondu quelque chose d’illisible : tronqué, mal formé ou d’une autre forme que celle qu’elle publie.',
    next: 'Essayez « Synchroniser ». Si cela dure, signalez la synchronisation à l’exploitant du service : le connecteur est à examiner.',
  },
  tooManySetAside: {
    cause: 'Trop d’enregistrements n’ont pu être normalisés; aucune donnée de cette synchronisation n’a été publiée.',
    next: 'Voyez les enregistrements et les raisons sous « Qualité des données ». Les données publiées restent inchangées.',
  },
  deletionsHeldBack: {
    cause: 'Plus de la moitié des enregistrements manquent à la source. Ils sont conservés jusqu’à ce que la suppression soit confirmée.',
    next: 'Vérifiez à la source. S’ils ont vraiment été supprimés, confirmez-le sous « Qualité des données »; s’ils reviennent, ce message disparaît de lui-même.',
  },
  keysRefused: {
    cause: 'La source refuse les clés de l’application, quel que soit le propriétaire.',
    next: 'Vérifiez les clés de cette source dans le catalogue ou dans sources.json. Toutes ses connexions attendent et reprendront d’elles-mêmes.',
  },
  internal: {
    cause: 'Ce service a échoué pendant la synchronisation de la source.',
    next: 'De nouveaux essais sont prévus; « Synchroniser » essaie tout de suite. Si cela dure, donnez l’heure à l’exploitant du service.',
  },
}

export const faultTexts = table({ messages: en, parties: partiesEn }, { messages: fr, parties: partiesFr })
