import { table } from '../language/table.ts'

export const inboxTexts = table(
  {
    title: 'Action required',
    lead: 'Connections that need someone to act. All others recover automatically.',
    none: 'Nothing to do',
    noneHint: 'When an owner must sign in again or a source keeps failing, the connection appears here with a message to send.',
    owner: 'Owner action needed',
    developer: 'Developer action needed',
    open: 'View connection',
    since: 'Since',
    message: 'Message to the owner',
    english: 'English',
    french: 'French',
    waiting: 'Retrying automatically',
    waitingLead: 'The last sync failed and will be retried. No action is needed.',
    tooMany: 'There are too many connections to filter at once. The total includes some that are not listed.',
    company: 'Connection',
    cause: 'Cause',
    nextTry: 'Next attempt',
  },
  {
    title: 'À régler',
    lead: 'Les connexions qui exigent une intervention. Toutes les autres se rétablissent automatiquement.',
    none: 'Rien à régler',
    noneHint:
      'Quand un propriétaire doit redonner accès ou qu’une source échoue sans cesse, la connexion apparaît ici avec un message à envoyer.',
    owner: 'Intervention du propriétaire',
    developer: 'Intervention du développeur',
    open: 'Voir la connexion',
    since: 'Depuis',
    message: 'Message au propriétaire',
    english: 'Anglais',
    french: 'Français',
    waiting: 'Nouveaux essais automatiques',
    waitingLead: 'La dernière synchronisation a échoué et sera reprise. Aucune intervention n’est nécessaire.',
    tooMany: 'Les connexions sont trop nombreuses pour être filtrées d’un coup. Le total en comprend qui ne sont pas affichées.',
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
      `Hello,\n\nOur connection to ${service} for ${company} has ended, so we no longer receive up-to-date information. Please open the link below and sign in again. It takes about a minute.\n\n${link}\n\nThe link is for you only and expires in seven days. Thank you.`,
  },
  {
    subject: ({ service }) => `Veuillez reconnecter ${service}`,
    body: ({ company, service, link }) =>
      `Bonjour,\n\nNotre connexion à ${service} pour ${company} a pris fin et nous ne recevons plus de renseignements à jour. Veuillez ouvrir le lien ci-dessous et vous identifier de nouveau; cela prend environ une minute.\n\n${link}\n\nCe lien vous est réservé et reste valide sept jours. Merci.`,
  },
)
