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
  owner: 'It lies with the owner',
  source: 'It lies with the source, not with the owner or you',
  keys: 'It lies with the keys for this source, not with the owner',
  service: 'It lies with this service, not with the owner or you',
}

const partiesFr: Record<Party, string> = {
  owner: 'Cela relève du propriétaire',
  source: 'Cela relève de la source, ni du propriétaire ni de vous',
  keys: 'Cela relève des clés de cette source, non du propriétaire',
  service: 'Cela relève de ce service, ni du propriétaire ni de vous',
}

const en: FaultMessages = {
  accessWithdrawn: {
    cause: 'Access has ended at the source: it was withdrawn there, or its time ran out.',
    next: 'Send the owner a repair link. Signing in once more mends it; nothing is lost.',
  },
  consentExpired: {
    cause: 'The consent has run out: the owner agreed for a limited time, and that time is over.',
    next: 'Send the owner a repair link. Agreeing once more starts a new period; nothing is lost.',
  },
  codeNeeded: {
    cause: 'The bank asks the owner for a security code or the answer to a question (MFA).',
    next: 'Send the owner a repair link. Only the owner can give the code, on the bank’s own page.',
  },
  loginChanged: {
    cause: 'The user name or the password at the source is another one now, or the account is locked there.',
    next: 'Send the owner a repair link, to sign in with what is valid today.',
  },
  otherEntity: {
    cause: 'Other books or another bank login answered than those that were connected; nothing of them was read.',
    next: 'Send the owner a repair link and ask for the same company as before. For other books, disconnect first.',
  },
  declined: {
    cause: 'The owner said no on the source’s page, or shared nothing there.',
    next: 'Ask the owner what kept them; a new link begins again where they left.',
  },
  timedOut: {
    cause: 'The owner opened the source’s page and did not come back in time.',
    next: 'Send a new link; it begins again where they left.',
  },
  sourceLimited: {
    cause: 'The source limits how often it may be asked (429) and wants us to wait.',
    next: 'Nothing to do: the reading goes on by itself when the source allows it. Published data stay readable.',
  },
  sourceUnavailable: {
    cause: 'The source is down or answers with an error of its own (5xx, or no answer).',
    next: 'Nothing to do at first: it is tried again on schedule. If it stays, look at the source’s status page; “Read now” tries at once.',
  },
  badData: {
    cause: 'The source answered something that cannot be read: cut, malformed, or of another shape than it publishes.',
    next: 'Try “Read now”. If it stays, report the request id of the run to whoever runs this service: the connector needs a look.',
  },
  tooManySetAside: {
    cause: 'Too many records could not be normalized, so nothing of this reading was published.',
    next: 'See “Data quality” for the records and the reasons. Published data stay as they were.',
  },
  deletionsHeldBack: {
    cause: 'More than half of the records are missing at the source, too many at once to be believed. They are kept as they were.',
    next: 'Look at the source. If they are really gone, say so under “Data quality”; if they come back, this ends by itself.',
  },
  keysRefused: {
    cause: 'The source refuses the keys of the application, whoever the owner is.',
    next: 'Check the keys of this source in the catalogue or in sources.json. All of its connections wait and go on by themselves.',
  },
  internal: {
    cause: 'This service itself failed while it read the source.',
    next: 'It is tried again on schedule; “Read now” tries at once. If it stays, give the time to whoever runs this service.',
  },
}

const fr: FaultMessages = {
  accessWithdrawn: {
    cause: 'L’accès a pris fin à la source : il y a été retiré, ou sa durée est écoulée.',
    next: 'Envoyez au propriétaire un lien de réparation. Il lui suffit de s’identifier de nouveau; rien n’est perdu.',
  },
  consentExpired: {
    cause: 'Le consentement est échu : le propriétaire l’avait donné pour une durée limitée, maintenant écoulée.',
    next: 'Envoyez au propriétaire un lien de réparation. Un nouveau consentement ouvre une nouvelle période; rien n’est perdu.',
  },
  codeNeeded: {
    cause: 'L’institution financière demande au propriétaire un code de sécurité ou la réponse à une question (AMF).',
    next: 'Envoyez au propriétaire un lien de réparation. Lui seul peut donner le code, sur la page de l’institution.',
  },
  loginChanged: {
    cause: 'Le code d’utilisateur ou le mot de passe a changé à la source, ou le compte y est verrouillé.',
    next: 'Envoyez au propriétaire un lien de réparation, pour qu’il s’identifie avec ce qui est valide aujourd’hui.',
  },
  otherEntity: {
    cause: 'D’autres livres ou un autre accès bancaire ont répondu que ceux qui étaient connectés; rien n’en a été lu.',
    next: 'Envoyez au propriétaire un lien de réparation et demandez la même entreprise qu’avant. Pour d’autres livres, déconnectez d’abord.',
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
    next: 'Rien à faire : la lecture reprendra d’elle-même dès que la source le permettra. Les données publiées restent lisibles.',
  },
  sourceUnavailable: {
    cause: 'La source est en panne ou répond par une erreur qui lui est propre (5xx, ou aucune réponse).',
    next: 'Rien à faire d’abord : de nouveaux essais sont prévus. Si cela dure, consultez la page d’état de la source; « Lire maintenant » essaie tout de suite.',
  },
  badData: {
    cause: 'La source a répondu quelque chose d’illisible : tronqué, mal formé ou d’une autre forme que celle qu’elle publie.',
    next: 'Essayez « Lire maintenant ». Si cela dure, signalez la lecture à l’exploitant du service : le connecteur est à examiner.',
  },
  tooManySetAside: {
    cause: 'Trop d’enregistrements n’ont pu être normalisés; rien de cette lecture n’a été publié.',
    next: 'Voyez les enregistrements et les raisons sous « Qualité des données ». Les données publiées restent inchangées.',
  },
  deletionsHeldBack: {
    cause: 'Plus de la moitié des enregistrements manquent à la source : trop à la fois pour y croire. Ils sont gardés tels quels.',
    next: 'Vérifiez à la source. S’ils ont vraiment disparu, confirmez-le sous « Qualité des données »; s’ils reviennent, ce message disparaît de lui-même.',
  },
  keysRefused: {
    cause: 'La source refuse les clés de l’application, quel que soit le propriétaire.',
    next: 'Vérifiez les clés de cette source dans le catalogue ou dans sources.json. Toutes ses connexions attendent et reprendront d’elles-mêmes.',
  },
  internal: {
    cause: 'Ce service a lui-même échoué en lisant la source.',
    next: 'De nouveaux essais sont prévus; « Lire maintenant » essaie tout de suite. Si cela dure, donnez l’heure à l’exploitant du service.',
  },
}

export const faultTexts = table({ messages: en, parties: partiesEn }, { messages: fr, parties: partiesFr })
