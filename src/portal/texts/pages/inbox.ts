import { table } from '../language/table.ts'

export const inboxTexts = table(
  {
    title: 'Fix it',
    lead: 'Connections that stay broken until somebody does something. Everything else mends itself.',
    none: 'Nothing needs you',
    noneHint: 'When an owner must sign in again, or a source keeps failing, it appears here with the message to send.',
    owner: 'The owner must act',
    developer: 'Look into it yourself',
    open: 'See the connection',
    since: 'Since',
    message: 'Message to the owner',
    english: 'English',
    french: 'French',
    waiting: 'Waiting by themselves',
    waitingLead: 'Their last reading failed and is tried again: nobody has to do anything.',
    company: 'Connection',
    cause: 'Cause',
    nextTry: 'Next try',
  },
  {
    title: 'À régler',
    lead: 'Les connexions qui restent en panne tant que personne n’agit. Tout le reste se répare seul.',
    none: 'Rien ne vous attend',
    noneHint: 'Quand un propriétaire doit redonner accès ou qu’une source échoue sans cesse, vous le verrez ici avec le message à envoyer.',
    owner: 'Le propriétaire doit agir',
    developer: 'À examiner vous-même',
    open: 'Voir la connexion',
    since: 'Depuis',
    message: 'Message au propriétaire',
    english: 'Anglais',
    french: 'Français',
    waiting: 'En attente, sans intervention',
    waitingLead: 'Leur dernière lecture a échoué et sera reprise : personne n’a rien à faire.',
    company: 'Connexion',
    cause: 'Cause',
    nextTry: 'Prochain essai',
  },
)

export interface MessageFacts {
  company: string
  service: string
  link: string
}

/** Message to an owner, in the owner's language, not the developer's. */
export const ownerMessages = table(
  {
    subject: ({ service }: MessageFacts) => `Please reconnect ${service}`,
    body: ({ company, service, link }: MessageFacts) =>
      `Hello,\n\nOur connection to ${service} for ${company} has ended, so we no longer receive up-to-date information. Please open the link below and sign in once more; it takes about a minute.\n\n${link}\n\nThe link is meant for you alone and works for seven days. Thank you.`,
  },
  {
    subject: ({ service }) => `Veuillez reconnecter ${service}`,
    body: ({ company, service, link }) =>
      `Bonjour,\n\nNotre connexion à ${service} pour ${company} a pris fin et nous ne recevons plus de renseignements à jour. Veuillez ouvrir le lien ci-dessous et vous identifier de nouveau; cela prend environ une minute.\n\n${link}\n\nCe lien vous est réservé et reste valide sept jours. Merci.`,
  },
)
